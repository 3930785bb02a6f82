// SPDX-License-Identifier: GPL-2.0-only

#include "compared-traffic.h"

#include "collective-traffic.h"
#include "job-traffic.h"
#include "permutation-traffic.h"

#include "ns3/abort.h"

namespace ns3
{

std::vector<std::string>
ComparedTraffic::GetKinds()
{
    return {"collective", "permutation", "job"};
}

std::unique_ptr<ComparedTraffic>
ComparedTraffic::Make(const std::string& kind, OptionGroup* options)
{
    if (kind == "permutation")
    {
        return std::make_unique<PermutationTraffic>(options);
    }
    if (kind == "job")
    {
        return std::make_unique<JobTraffic>(options);
    }
    NS_ABORT_MSG_UNLESS(kind == "collective", "there is no traffic " << kind);
    return std::make_unique<CollectiveTraffic>(options);
}

} // namespace ns3
