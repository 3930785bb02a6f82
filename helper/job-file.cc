// SPDX-License-Identifier: GPL-2.0-only

#include "job-file.h"

#include "flag-parser.h"
#include "flag.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char* MODEL = "model";
constexpr int MAX_DEPTH = 8;
constexpr std::size_t MAX_SHOWN = 60;

/// What is wrong with a file.
struct JobFileError : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// @return a value in printable characters, cut if it is long
std::string
Show(const Json& value)
{
    std::string text = value.dump(-1, ' ', true);
    if (text.size() > MAX_SHOWN)
    {
        text = text.substr(0, MAX_SHOWN) + "...";
    }
    return text;
}

/// @return an object without keys that occur twice, and not deep
Json
ParseObject(const std::string& text)
{
    std::vector<std::set<std::string>> keys;
    const auto watch = [&keys](int depth, Json::parse_event_t event, Json& value) {
        if (depth > MAX_DEPTH)
        {
            throw JobFileError("objects in it are nested too deeply");
        }
        if (event == Json::parse_event_t::object_start)
        {
            keys.resize(static_cast<std::size_t>(depth) + 1);
            keys.back().clear();
        }
        if (event == Json::parse_event_t::key &&
            !keys[static_cast<std::size_t>(depth) - 1].insert(value.get<std::string>()).second)
        {
            throw JobFileError(Show(value) + " occurs twice");
        }
        return true;
    };
    Json json;
    try
    {
        json = Json::parse(text, watch);
    }
    catch (const nlohmann::json::parse_error& error)
    {
        throw JobFileError("it is no JSON: an error at byte " + std::to_string(error.byte));
    }
    catch (const nlohmann::json::exception&)
    {
        throw JobFileError("a number in it is out of range");
    }
    if (!json.is_object())
    {
        throw JobFileError("it must be a JSON object whose keys are flags");
    }
    return json;
}

/// @return the text of a value that a flag has
std::string
ToText(const std::string& key, const Json& value, bool isTruth)
{
    const std::string what = Show(Json(key)) + " is " + Show(value);
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
ToSettings(const Json& json, const JobFile::Settings& known)
{
    JobFile::Settings settings;
    for (const auto& [key, value] : json.items())
    {
        const auto& name = key;
        const auto flag = std::find_if(known.begin(), known.end(), [&name](const auto& pair) {
            return pair.first == name;
        });
        if (flag == known.end())
        {
            std::vector<std::string> names;
            for (const auto& pair : known)
            {
                names.push_back(pair.first);
            }
            throw JobFileError(Show(Json(key)) + " is no flag of a job: it must be one of " +
                               FlagParser::List(names));
        }
        if (value == "" && flag->second.empty())
        {
            continue; // ns-3 takes no empty text, and it is the default
        }
        if (value == "")
        {
            throw JobFileError(Show(Json(key)) + " is empty");
        }
        const bool isTruth = flag->second == "true" || flag->second == "false";
        settings.emplace_back(key, ToText(key, value, isTruth));
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
        if (text.size() > MAX_BYTES)
        {
            throw JobFileError("it has more than " + std::to_string(MAX_BYTES) + " bytes");
        }
        job.m_settings = ToSettings(ParseObject(text), known);
    }
    catch (const JobFileError& error)
    {
        job.m_error = error.what();
    }
    return job;
}

JobFile
JobFile::Read(const std::string& name, const Settings& known)
{
    std::ifstream file(name, std::ios::binary);
    std::string text(MAX_BYTES + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad())
    {
        JobFile job;
        job.m_error = "it cannot be read";
        return job;
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return Parse(text, known);
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
    const JobFile job = Read(name, known);
    if (!job.GetError().empty())
    {
        return "--job=" + name + ": " + job.GetError();
    }
    std::vector<std::string> flags;
    for (const auto& [key, text] : job.GetSettings())
    {
        flags.push_back("--" + key + "=" + text);
    }
    arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), flags.begin(), flags.end());
    return "";
}

const std::string&
JobFile::GetError() const
{
    return m_error;
}

const JobFile::Settings&
JobFile::GetSettings() const
{
    return m_settings;
}

} // namespace ns3
