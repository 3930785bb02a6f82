// SPDX-License-Identifier: GPL-2.0-only

// Writes doc/attributes-and-traces.rst, a page of what the classes register, for Sphinx.

#include "../suites/config-paths.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/photonic-rails-module.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <sstream>

using namespace ns3;
using ns3::test::GetConfigPaths;

namespace
{

/// @return a number without zeros behind its last digit
std::string
Print(double value)
{
    std::ostringstream text;
    text.precision(12);
    text << value;
    return text.str();
}

/// @return a time in the largest unit in which it is at least 1
std::string
Print(Time time)
{
    struct Unit
    {
        double picoseconds;
        const char* name;
    };

    const auto picoseconds = static_cast<double>(time.GetPicoSeconds());
    for (const Unit& unit : {Unit{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}})
    {
        if (picoseconds >= unit.picoseconds)
        {
            return Print(picoseconds / unit.picoseconds) + " " + unit.name;
        }
    }
    return Print(picoseconds) + (picoseconds == 0 ? "" : " ps");
}

/// @return a default as people write it; releases of ns-3 print times and rates differently
std::string
PrintDefault(const TypeId::AttributeInformation& attribute)
{
    const AttributeValue* value = PeekPointer(attribute.initialValue);
    if (const auto* time = dynamic_cast<const TimeValue*>(value))
    {
        return Print(time->Get());
    }
    if (const auto* rate = dynamic_cast<const DataRateValue*>(value))
    {
        return Print(static_cast<double>(rate->Get().GetBitRate()) / 1e9) + " Gbit/s";
    }
    if (const auto* number = dynamic_cast<const DoubleValue*>(value))
    {
        return Print(number->Get());
    }
    const std::string text = attribute.initialValue->SerializeToString(attribute.checker);
    const bool isNull = text == "0" && !dynamic_cast<const UintegerValue*>(value);
    return text.empty() || isNull ? "none" : text;
}

void
PrintTable(std::ostream& os, const std::string& header, const std::string& rows)
{
    os << ".. list-table::\n   :header-rows: 1\n   :widths: 20 20 60\n\n" << header << rows << "\n";
}

/// Write the attributes and trace sources that a class itself registers.
void
PrintClass(std::ostream& os, TypeId tid)
{
    std::ostringstream attributes;
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const auto attribute = tid.GetAttribute(i);
        attributes << "   * - ``" << attribute.name << "``\n     - " << PrintDefault(attribute)
                   << "\n     - " << attribute.help << "\n";
    }
    std::ostringstream traces;
    for (std::size_t i = 0; i < tid.GetTraceSourceN(); ++i)
    {
        const auto trace = tid.GetTraceSource(i);
        traces << "   * - ``" << trace.name << "``\n     - ``" << trace.callback << "``\n     - "
               << trace.help << "\n";
    }
    if (attributes.str().empty() && traces.str().empty())
    {
        return;
    }
    os << tid.GetName() << "\n" << std::string(tid.GetName().size(), '=') << "\n\n";
    const std::string& path = GetConfigPaths().at(tid.GetName());
    const std::size_t comma = path.find(", ");
    if (path.substr(0, 4) == "none")
    {
        os << "Path: " << path << ".\n\n";
    }
    else if (comma == std::string::npos)
    {
        os << "Path: ``" << path << "``\n\n";
    }
    else
    {
        os << "Paths: ``" << path.substr(0, comma) << "``, ``" << path.substr(comma + 2)
           << "``\n\n";
    }
    if (tid.GetParent().GetGroupName() == "PhotonicRails")
    {
        os << "Has those of ``" << tid.GetParent().GetName() << "``, too.\n\n";
    }
    if (!attributes.str().empty())
    {
        PrintTable(os, "   * - attribute\n     - default\n     - meaning\n", attributes.str());
    }
    if (!traces.str().empty())
    {
        PrintTable(os, "   * - trace source\n     - callback\n     - fires when\n", traces.str());
    }
}

std::string
PrintAll()
{
    std::map<std::string, TypeId> classes;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetGroupName() == "PhotonicRails")
        {
            classes[tid.GetName()] = tid;
        }
    }
    std::ostringstream os;
    os << ".. SPDX-License-Identifier: GPL-2.0-only\n\n"
          "Attributes and Trace Sources\n"
          "----------------------------\n\n"
          "What the classes of ``photonic-rails`` register, by class. This page is written by a "
          "test from the\nclasses themselves. Paths are those of ``Config::Set`` and "
          "``Config::Connect``, see :doc:`ecosystem`.\n\n";
    for (const auto& [name, tid] : classes)
    {
        PrintClass(os, tid);
    }
    std::string text = os.str();
    text.pop_back(); // one line end at the end of the file
    return text;
}

TEST(Documentation, WritesAttributesAndTraceSources)
{
    const std::string file =
        std::string(PHOTONIC_RAILS_SOURCE_DIR) + "/doc/attributes-and-traces.rst";
    const auto read = [&file] {
        std::ifstream stream(file);
        return std::string{std::istreambuf_iterator<char>(stream), {}};
    };
    const std::string page = PrintAll();
    if (read() != page) // another process may be reading it
    {
        std::ofstream(file) << page;
    }
    EXPECT_EQ(read(), page);
    EXPECT_NE(page.find("``HopLatency``"), std::string::npos);
    EXPECT_EQ(page.find("     - \n"), std::string::npos) << "a meaning or a callback is missing";
}

} // namespace
