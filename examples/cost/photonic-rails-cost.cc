// SPDX-License-Identifier: GPL-2.0-only

// Price and power of networks of GPUs, and their energy for an iteration of a simulated job; or how
// many GPUs photonic rails can join. Nothing is simulated here.

#include "cost-settings.h"

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Write a table to the file of --csv, if there is one. @return what is wrong
static std::string
WriteCsv(const CsvTable& table, const std::string& name)
{
    return WriteFile("csv", name, [&table](std::ostream& os) { table.Write(os); });
}

/// Run the program. @return what is wrong
static std::string
Run(const std::vector<std::string>& arguments)
{
    CostSettings settings;
    CommandLine cmd(__FILE__);
    if (auto error = ParseFlags(cmd, settings, arguments); !error.empty())
    {
        return error;
    }
    if (auto error = settings.Check(); !error.empty())
    {
        return error;
    }
    if (settings.PrintsParts())
    {
        std::cout << settings.GetCatalogue().ToText();
        return "";
    }
    if (settings.IsTable3())
    {
        settings.GetScale().WriteTable(std::cout);
        return WriteCsv(settings.GetScale().GetCsv(), settings.GetCsvFile());
    }
    const CostReport& report = settings.GetReport();
    report.WriteTable(std::cout);
    const std::string error = WriteCsv(report.GetCsv(), settings.GetCsvFile());
    return error.empty() ? WriteJsonFile(report, settings.GetJsonFile()) : error;
}

int
main(int argc, char* argv[])
{
    return RunProgram(argc, argv, Run);
}
