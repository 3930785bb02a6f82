// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MEASURED_STEPS_H
#define PHOTONIC_RAILS_MEASURED_STEPS_H

#include "calibration.h"

#include "ns3/option-group.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The flags of photonic-rails-calibrate, and the steps in the file that one of them names.
 *
 * The file is JSON: {"steps": [{"step_s": 2.46, "flags": ["--model=llama3-8b", ...]}, ...]}, 1 to
 * 64 steps, each with the time that was measured and the flags of photonic-rails-training that
 * describe the job and its network. Flags that the calibration finds must not be among them.
 */
class MeasuredSteps : public OptionGroup
{
  public:
    /// @return an empty string, or one line that names the flag, or the file and its error
    std::string Check();

    /**
     * @brief Find efficiency, goodput and launch time.
     * @param progress stream for a line after each set of runs, or null
     * @return an empty string, or one line with the step that could not be predicted and why
     */
    std::string Fit(std::ostream* progress);

    /// Write numbers and residuals for people, after Fit.
    void WriteTable(std::ostream& os) const;
    /// Write them as JSON, after Fit.
    void WriteJson(std::ostream& os) const;

    BoolOption quiet{this, "quiet", false, OptionHelp("print nothing but errors").First()};
    FileOption json{this, "json", OptionHelp("file for the result, as JSON").First()};

  private:
    /// A step of the file.
    struct Step
    {
        double seconds{0};
        std::vector<std::string> flags;
    };

    /// @return an error if the file is wrong; reads it
    std::string ReadSteps();
    /// @return predictions with values of the parameters; fewer, and m_error set, if one failed
    std::vector<double> Predict(const std::vector<double>& values);
    /// @return flags for values of the parameters
    std::vector<std::string> MakeFlags(const std::vector<double>& values) const;

    OptionHeading m_heading{this, "calibration"};
    TextOption m_file{this,
                      "steps",
                      "",
                      OptionHelp("JSON file with measured steps: {\"steps\": [{\"step_s\": 2.46, "
                                 "\"flags\": [\"--model=llama3-8b\", ...]}, ...]}")
                          .First()
                          .Reads()};
    BoolOption m_launch{
        this,
        "launch",
        true,
        OptionHelp("find the launch time of a kernel as well, with hosts that run ahead").First()};
    CountOption m_processes{this,
                            "processes",
                            2,
                            {1, 256},
                            OptionHelp("simulations at the same time").First()};

    std::vector<Step> m_steps;
    std::vector<Calibration::Parameter> m_found;
    std::vector<double> m_predicted;
    std::string m_error;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MEASURED_STEPS_H
