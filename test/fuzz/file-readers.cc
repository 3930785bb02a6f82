// SPDX-License-Identifier: GPL-2.0-only

#include "fuzz-reader.h"

#include "ns3/costed-run.h"
#include "ns3/fabric-file.h"
#include "ns3/parts-catalogue.h"
#include "ns3/pip-plan.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/transformer-spec.h"
#include "ns3/workload-settings.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace fuzz
{

namespace
{

void
ReadModel(const std::string& text)
{
    TransformerSpec model;
    const std::string error = TransformerJson::Parse(text, model);
    RequireLine(error);
    if (error.empty())
    {
        Require(model.GetParameters() > 0, "a model has parameters");
        TransformerSpec again;
        Require(TransformerJson::Parse(TransformerJson::ToText(model), again).empty() &&
                    TransformerJson::ToText(again) == TransformerJson::ToText(model),
                "a model that was read is written and read again");
    }
}

void
ReadCatalogue(const std::string& text)
{
    PartsCatalogue catalogue;
    const std::string error = PartsCatalogue::Parse(text, catalogue);
    RequireLine(error);
    if (error.empty())
    {
        PartsCatalogue again;
        Require(PartsCatalogue::Parse(catalogue.ToText(), again).empty() &&
                    again.ToText() == catalogue.ToText(),
                "a catalogue that was read is written and read again");
        NetworkParts parts;
        RequireLine(catalogue.Select(catalogue.FindRate(400), parts));
    }
}

void
ReadSummary(const std::string& text)
{
    CostedRun run;
    const std::string error = CostedRun::Parse(text, run);
    RequireLine(error);
    if (error.empty())
    {
        CostReport report;
        RequireLine(run.MakeReport(PartsCatalogue::GetDefault(),
                                   CostCounting::GetNames().front(),
                                   {},
                                   report));
    }
}

void
ReadWeights(const std::string& text)
{
    std::istringstream file(text);
    const auto [popularity, error] = ReadPopularity(file);
    RequireLine(error);
    Require(!error.empty() || !popularity.weights.empty(), "a file of weights has weights");
}

void
ReadPlan(const std::string& text)
{
    std::istringstream file(text);
    const PipPlan plan = PipPlan::Read(file);
    RequireLine(plan.error);
    const std::string error = plan.Check();
    RequireLine(error);
    if (error.empty())
    {
        const auto ports = static_cast<uint32_t>(plan.places.size());
        RequireLine(PipSwitchFabric::CheckSize(plan.rows, plan.columns, ports));
        std::ostringstream written;
        plan.Write(written);
        std::istringstream stream(written.str());
        Require(PipPlan::Read(stream).Check().empty(), "a plan that was read is written and read");
    }
}

void
ReadFabric(const std::string& text)
{
    std::string error;
    const auto content = FabricContent::Parse(text, "fabric.json", error);
    RequireLine(error);
    Require(error.empty() == content.has_value(), "a fabric or an error");
    if (!content)
    {
        return;
    }
    const auto fabric = CreateObject<FabricFile>(*content);
    Require(!fabric->Describe().empty(), "a fabric is described");
    const auto json = nlohmann::json::parse(text);
    FabricSpec spec;
    spec.domains = json["domains"];
    spec.gpusPerDomain = json["gpusPerDomain"];
    spec.nicPorts = json["nicPorts"];
    spec.portRate = DataRate("200Gbps");
    if (spec.GetHosts() < 200)
    {
        const FabricPlan plan = fabric->MakePlan(spec);
        RequireLine(plan.error);
        Require(plan.error.find("the fabric fabric.json is wrong") == std::string::npos,
                "a fabric that was taken has a topology: " + plan.error);
    }
}

} // namespace

std::vector<Reader>
GetFileReaders()
{
    return {{"model", ReadModel},
            {"catalogue", ReadCatalogue},
            {"summary", ReadSummary},
            {"popularity", ReadWeights},
            {"plan", ReadPlan},
            {"fabric", ReadFabric}};
}

} // namespace fuzz
} // namespace ns3
