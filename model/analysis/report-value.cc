// SPDX-License-Identifier: GPL-2.0-only

#include "report-value.h"

#include <iomanip>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

/// Makes values of the JSON library.
struct ReportJson
{
    using Json = nlohmann::ordered_json;

    /// @param value not missing @return the same
    static Json Make(const ReportValue& value)
    {
        return std::visit([](const auto& one) { return Convert(one); }, value.m_value);
    }

    template <typename T>
    static Json Convert(const T& value)
    {
        return Json(value);
    }

    static Json Convert(const std::monostate& /* missing */)
    {
        return Json();
    }

    static Json Convert(const ReportValue::Array& array)
    {
        Json json = Json::array();
        for (const auto& value : array)
        {
            json.push_back(Make(value));
        }
        return json;
    }

    static Json Convert(const ReportValue::Object& object)
    {
        Json json = Json::object();
        for (const auto& [key, value] : object)
        {
            if (!value.IsMissing())
            {
                json[key] = Make(value);
            }
        }
        return json;
    }

    static std::string Dump(const ReportValue& value, int indent)
    {
        return Make(value).dump(indent, ' ', true, Json::error_handler_t::replace);
    }
};

ReportValue::ReportValue(const char* text)
    : m_value(std::string(text))
{
}

ReportValue::ReportValue(std::string text)
    : m_value(std::move(text))
{
}

ReportValue::ReportValue(const Time& time)
    : m_value(ToSeconds(time))
{
}

ReportValue::ReportValue(Array array)
    : m_value(std::move(array))
{
}

ReportValue::ReportValue(Object object)
    : m_value(std::move(object))
{
}

ReportValue::ReportValue(const Texts& texts)
    : m_value(Object(texts.begin(), texts.end()))
{
}

bool
ReportValue::IsMissing() const
{
    return std::holds_alternative<std::monostate>(m_value);
}

std::string
ReportValue::ToText(int decimals, double factor) const
{
    if (const auto* text = std::get_if<std::string>(&m_value))
    {
        return *text;
    }
    if (const auto* number = std::get_if<double>(&m_value); number && decimals >= 0)
    {
        return Fixed(factor * *number, decimals);
    }
    return IsMissing() ? "" : ReportJson::Dump(*this, -1);
}

void
ReportValue::WriteJson(std::ostream& os, int indent) const
{
    os << ReportJson::Dump(*this, indent);
}

std::string
ReportValue::Fixed(double number, int decimals)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::fixed << std::setprecision(decimals) << number;
    return text.str();
}

} // namespace ns3
