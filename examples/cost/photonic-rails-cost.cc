// SPDX-License-Identifier: GPL-2.0-only

// Price and power of networks of GPUs, and their energy in one iteration of a job that was
// simulated before; with --table3, how many GPUs photonic rails can join. The program simulates
// nothing.

#include "cost-settings.h"

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Write a table to the file of --csv, if --csv is given. @return an empty string, or an error
static std::string
WriteCsv(const CsvTable& table, const std::string& name)
{
    return WriteFile("csv", name, [&table](std::ostream& os) { table.Write(os); });
}

/// Run the program. @return an empty string, or an error in one line
static std::string
Run(const std::vector<std::string>& arguments)
{
    CostSettings settings;
    if (auto error = ReadFlags(__FILE__, settings, arguments); !error.empty())
    {
        return error;
    }
    if (settings.printsParts.Get())
    {
        std::cout << settings.catalogue.ToText();
        return "";
    }
    if (settings.isTable3.Get())
    {
        settings.scale.WriteTable(std::cout);
        return WriteCsv(settings.scale.GetCsv(), settings.csv.GetText());
    }
    settings.report.WriteTable(std::cout);
    return FindError([&] { return WriteCsv(settings.report.GetCsv(), settings.csv.GetText()); },
                     [&] { return WriteJsonFile(settings.report, settings.json.GetText()); });
}

int
main(int argc, char* argv[])
{
    return RunProgram(argc, argv, Run);
}
