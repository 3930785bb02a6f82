// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_CHART_PARTS_H
#define PHOTONIC_RAILS_HTML_CHART_PARTS_H

#include "html-text.h"

#include "ns3/to-seconds.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{

/// What the configurations of several charts have in common: pure functions.
struct HtmlChartParts
{
    using Json = nlohmann::ordered_json; //!< keeps the order of what is added

    /**
     * @param time a moment
     * @param begin what it is counted from
     * @return milliseconds between them
     */
    static double ToMilliseconds(const Time& time, const Time& begin = Time())
    {
        return 1e3 * ToSeconds(time - begin);
    }

    /// @param config a configuration @return its text, whatever bytes its texts have
    static std::string Dump(const Json& config)
    {
        return config.dump(-1, ' ', true, Json::error_handler_t::replace);
    }

    /// @param title of an axis @return the axis
    static Json Axis(const std::string& title)
    {
        return Json{{"title", {{"display", true}, {"text", title}}}};
    }

    /**
     * @param part how many are left out
     * @param all of how many
     * @param what they are
     * @return a sentence that says so
     */
    static std::string LeftOut(std::size_t part, std::size_t all, const std::string& what)
    {
        return HtmlText::Number(uint64_t{part}) + " of " + HtmlText::Number(uint64_t{all}) + " " +
               what + " are left out. ";
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_CHART_PARTS_H
