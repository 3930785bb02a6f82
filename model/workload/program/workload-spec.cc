// SPDX-License-Identifier: GPL-2.0-only

#include "workload-spec.h"

namespace ns3
{

std::string
WorkloadSpec::Validate() const
{
    if (auto error = model.Validate(); !error.empty())
    {
        return error;
    }
    if (auto error = efficiency.Validate(); !error.empty())
    {
        return error;
    }
    if (model.moe.experts > 0)
    {
        if (auto error = popularity.Validate(model.moe.experts); !error.empty())
        {
            return error;
        }
    }
    return parallelism.Validate(model, rules);
}

} // namespace ns3
