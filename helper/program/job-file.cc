// SPDX-License-Identifier: GPL-2.0-only

#include "job-file.h"

#include "near-names.h"

#include "ns3/json-reader.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr const char* MODEL = "model";

/// An error in a file.
struct JobFileError : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// @return the object in a text
nlohmann::json
ParseObject(const std::string& text)
{
    nlohmann::json json;
    if (const std::string error = JsonText::Parse(text, json); !error.empty())
    {
        throw JobFileError(error);
    }
    if (!json.is_object())
    {
        throw JobFileError("it must be a JSON object whose keys are flags");
    }
    return json;
}

/// @return the text of a value that a flag has
std::string
ValueToText(const std::string& key, const nlohmann::json& value, bool isTruth)
{
    const std::string what = JsonText::QuoteKey(key) + " is " + JsonText::Quote(value);
    if (value.is_object() && key == MODEL)
    {
        return value.dump(-1, ' ', true);
    }
    if (value.is_null() || value.is_structured())
    {
        throw JobFileError(what + ": it must be a text, a number, true or false" +
                           (key == MODEL ? ", or an object" : ""));
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (isTruth && text != "true" && text != "false")
    {
        throw JobFileError(what + ": it must be true or false");
    }
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
    if (std::any_of(text.begin(), text.end(), isControl))
    {
        throw JobFileError(what + ": it must be a text without control characters");
    }
    return text;
}

JobFile::Settings
ToSettings(const nlohmann::json& json, const JobFile::Settings& known)
{
    JobFile::Settings settings;
    for (const auto& [key, value] : json.items())
    {
        const auto& name = key;
        const auto isName = [&name](const auto& pair) { return pair.first == name; };
        const auto flag = std::find_if(known.begin(), known.end(), isName);
        const bool isAttribute = name.find("::") != std::string::npos;
        if (flag == known.end() && !isAttribute)
        {
            std::vector<std::string> names;
            for (const auto& pair : known)
            {
                names.push_back(pair.first);
            }
            throw JobFileError(JsonText::QuoteKey(key) + " is no flag of a job; " +
                               NearNames::Describe(name, names, "", "--help=all"));
        }
        const bool isTruth = !isAttribute && (flag->second == "true" || flag->second == "false");
        settings.emplace_back(key, ValueToText(key, value, isTruth));
    }
    return settings;
}

} // namespace

JobFile
JobFile::Parse(const std::string& text, const Settings& known)
{
    JobFile job;
    try
    {
        job.settings = ToSettings(ParseObject(text), known);
    }
    catch (const JobFileError& error)
    {
        job.error = error.what();
    }
    return job;
}

std::optional<std::string>
JobFile::ReadText(const std::string& name, std::size_t maxBytes)
{
    std::ifstream file(name, std::ios::binary);
    std::string text(maxBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad())
    {
        return std::nullopt;
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

std::string
JobFile::Insert(std::vector<std::string>& arguments, const Settings& known)
{
    const std::string flag = "job=";
    std::string name;
    bool isGiven = false;
    for (const auto& argument : arguments)
    {
        // ns-3 takes flags with one dash or two, and the last of several.
        const auto begin = argument.find_first_not_of('-');
        if ((begin == 1 || begin == 2) && argument.compare(begin, flag.size(), flag) == 0)
        {
            name = argument.substr(begin + flag.size());
            isGiven = true;
        }
    }
    if (!isGiven)
    {
        return "";
    }
    const auto content = ReadText(name);
    const JobFile job = content ? Parse(*content, known) : JobFile{"it cannot be read", {}};
    if (!job.error.empty())
    {
        return "--job=" + name + ": " + job.error;
    }
    std::vector<std::string> flags;
    for (const auto& [key, text] : job.settings)
    {
        flags.push_back("--" + key + "=" + text);
    }
    arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), flags.begin(), flags.end());
    return "";
}

} // namespace ns3
