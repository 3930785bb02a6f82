// SPDX-License-Identifier: GPL-2.0-only

#include "measured-steps.h"

#include "ns3/child-process.h"
#include "ns3/command-line.h"
#include "ns3/flag-parser.h"
#include "ns3/job-file.h"
#include "ns3/json-reader.h"
#include "ns3/program.h"
#include "ns3/training-experiment.h"
#include "ns3/training-settings.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

constexpr std::size_t MOST_STEPS = 64; //!< in a file
constexpr std::size_t MOST_FLAGS = 64; //!< of a step
constexpr const char* EFFICIENCY = "computeEfficiency";
constexpr const char* GOODPUT = "goodput";
constexpr const char* LAUNCH = "ns3::HostThread::KernelTime";

/// @return a number with the digits that matter
std::string
ToDigits(double number)
{
    std::ostringstream text;
    text << std::setprecision(6) << number;
    return text.str();
}

/**
 * @param flags of a training job
 * @return the last step in s as text, or a line that begins with "!"
 */
std::string
RunStep(const std::vector<std::string>& flags)
{
    std::vector<std::string> arguments{"photonic-rails-calibrate"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    TrainingSettings settings;
    CommandLine cmd;
    std::string error = ParseFlags(cmd, settings, arguments);
    error = error.empty() ? settings.Check() : error;
    if (!error.empty())
    {
        return "!" + error;
    }
    const RunSummary summary = TrainingExperiment(settings).Run(nullptr);
    error = summary.CheckInvariants();
    return error.empty() ? FlagParser::ToText(summary.iterations.back().duration.GetSeconds())
                         : "!" + error.substr(0, error.find('\n'));
}

} // namespace

std::string
MeasuredSteps::Check()
{
    return FindError([this] { return CheckOptions(); },
                     [this] { return CheckFiles(); },
                     [this] { return ReadSteps(); });
}

std::string
MeasuredSteps::ReadSteps()
{
    const std::string file = m_file.GetText();
    const auto text = JobFile::ReadText(file);
    if (!text)
    {
        return m_file.Refuse("a file that can be read");
    }
    nlohmann::json content;
    if (auto error = JsonText::Parse(*text, content); !error.empty())
    {
        return "--steps=" + file + ": " + error;
    }
    JsonObjectReader reader(content, "");
    const nlohmann::json* steps = reader.Find("steps");
    if (auto error = reader.GetError(); !error.empty())
    {
        return "--steps=" + file + ": " + error;
    }
    if (!steps || !steps->is_array() || steps->empty() || steps->size() > MOST_STEPS)
    {
        return "--steps=" + file + ": steps must be a list of 1 to " + std::to_string(MOST_STEPS);
    }
    for (std::size_t i = 0; i < steps->size(); ++i)
    {
        const std::string name = "steps[" + std::to_string(i) + "]";
        Step step;
        JsonObjectReader one((*steps)[i], name);
        one.Read("step_s", 1e-6, 1e6, step.seconds);
        const nlohmann::json* flags = one.Find("flags");
        if (auto error = one.GetError(); !error.empty())
        {
            return "--steps=" + file + ": " + error;
        }
        const bool isList = flags && flags->is_array() && flags->size() <= MOST_FLAGS &&
                            std::all_of(flags->begin(), flags->end(), [](const auto& flag) {
                                return flag.is_string();
                            });
        if (!isList)
        {
            return "--steps=" + file + ": " + name + ".flags must be a list of at most " +
                   std::to_string(MOST_FLAGS) + " texts, such as \"--model=llama3-8b\"";
        }
        for (const auto& flag : *flags)
        {
            step.flags.push_back(flag.get<std::string>());
            const std::string own = FlagParser::SplitFlag(step.flags.back()).first;
            if (own == EFFICIENCY || own == GOODPUT || own == LAUNCH || own == "hostRunAhead")
            {
                return "--steps=" + file + ": " + name + ": --" + own + " is what is looked for";
            }
        }
        m_steps.push_back(step);
    }
    return "";
}

std::vector<std::string>
MeasuredSteps::MakeFlags(const std::vector<double>& values) const
{
    std::vector<std::string> flags{std::string("--") + EFFICIENCY + "=" + ToDigits(values[0]),
                                   std::string("--") + GOODPUT + "=" + ToDigits(values[1])};
    flags.emplace_back(m_launch.Get() ? "--hostRunAhead=ahead" : "--hostRunAhead=none");
    if (m_launch.Get())
    {
        flags.push_back(std::string("--") + LAUNCH + "=" +
                        std::to_string(std::llround(values[2] * 1e12)) + "ps");
    }
    return flags;
}

std::vector<double>
MeasuredSteps::Predict(const std::vector<double>& values)
{
    std::vector<double> predicted(m_steps.size());
    std::vector<std::size_t> pieces(m_steps.size());
    std::iota(pieces.begin(), pieces.end(), 0);
    ChildPool::Run(
        pieces,
        m_processes.Get(),
        [&](std::size_t step) {
            auto flags = m_steps[step].flags;
            for (const auto& flag : MakeFlags(values))
            {
                flags.push_back(flag);
            }
            return RunStep(flags);
        },
        [&](std::size_t step, const std::optional<std::string>& text) {
            const auto seconds = text ? FlagParser::ParseFraction(*text) : std::nullopt;
            predicted[step] = seconds.value_or(0);
            if (predicted[step] <= 0)
            {
                m_error = "steps[" + std::to_string(step) +
                          "]: " + (text && !text->empty() ? text->substr(1) : "its run has failed");
            }
        });
    return m_error.empty() ? predicted : std::vector<double>();
}

std::string
MeasuredSteps::Fit(std::ostream* progress)
{
    std::vector<Calibration::Parameter> parameters{{EFFICIENCY, 0.02, 0.99, 0.5},
                                                   {GOODPUT, 0.002, 1, 0.9}};
    if (m_launch.Get())
    {
        parameters.push_back({"kernel launch, s", 1e-7, 1e-3, 5e-6});
    }
    std::vector<double> measured;
    for (const Step& step : m_steps)
    {
        measured.push_back(step.seconds);
    }
    Calibration calibration(parameters, measured, [&](const std::vector<double>& values) {
        const auto predicted = Predict(values);
        if (progress && !predicted.empty())
        {
            *progress << "tried";
            for (const auto& flag : MakeFlags(values))
            {
                *progress << " " << flag;
            }
            *progress << std::endl;
        }
        return predicted;
    });
    if (!calibration.Fit())
    {
        return m_error.empty() ? "interrupted" : m_error;
    }
    m_found = calibration.GetParameters();
    m_predicted = calibration.GetPredicted();
    return "";
}

void
MeasuredSteps::WriteTable(std::ostream& os) const
{
    os << "step   measured s  predicted s  difference\n" << std::fixed;
    for (std::size_t i = 0; i < m_steps.size(); ++i)
    {
        os << std::setw(4) << i << std::setw(13) << std::setprecision(4) << m_steps[i].seconds
           << std::setw(13) << m_predicted[i] << std::setw(10) << std::showpos
           << std::setprecision(1) << 100 * (m_predicted[i] / m_steps[i].seconds - 1)
           << std::noshowpos << " %\n";
    }
    os << std::defaultfloat << std::setprecision(4)
       << "\nin brackets one standard error to both sides, by the differences above\n";
    for (const auto& own : m_found)
    {
        os << own.name << " " << own.value << " (" << own.Less(1) << " to " << own.Less(-1) << ")";
        if (own.IsAtLimit())
        {
            os << ": at its limit, which these steps would have it leave: they are not explained "
                  "by "
                  "it";
        }
        else if (!own.Matters())
        {
            os << ": no step depends on it, any value explains them";
        }
        else if (!own.IsDistinct())
        {
            os << ": cannot be told apart from the others by these steps, which would come out "
                  "alike with other combinations; add a job in which it matters more or less";
        }
        os << "\n";
    }
    std::vector<double> values;
    for (const auto& own : m_found)
    {
        values.push_back(own.value);
    }
    os << "flags:";
    for (const auto& flag : MakeFlags(values))
    {
        os << " " << flag;
    }
    os << "\n";
}

void
MeasuredSteps::WriteJson(std::ostream& os) const
{
    nlohmann::ordered_json result;
    for (const auto& own : m_found)
    {
        result["parameters"].push_back({{"name", own.name},
                                        {"value", own.value},
                                        {"low", own.Less(1)},
                                        {"high", own.Less(-1)},
                                        {"at_limit", own.IsAtLimit()},
                                        {"matters", own.Matters()},
                                        {"told_apart", own.IsDistinct()}});
    }
    for (std::size_t i = 0; i < m_steps.size(); ++i)
    {
        result["steps"].push_back({{"measured_s", m_steps[i].seconds},
                                   {"predicted_s", m_predicted[i]},
                                   {"difference", m_predicted[i] / m_steps[i].seconds - 1}});
    }
    os << result.dump(2) << "\n";
}

} // namespace ns3
