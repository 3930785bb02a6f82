// SPDX-License-Identifier: GPL-2.0-only

#include "kernel-efficiency.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

const std::vector<KernelEfficiency>&
KernelEfficiency::GetAll()
{
    static const std::vector<KernelEfficiency> all = {
        {"",
         "",
         ProductFormat::FP32,
         0.65,
         0.8,
         0.95,
         "a recorded step in fp32 on 4 A100s (doc/validation.rst)"},
        {"", "", ProductFormat::FP8, 0.25, 0.4, 0.6, "an assumption: no step in fp8 was taken"},
        {"h100",
         "torchtitan",
         ProductFormat::BF16,
         0.42,
         0.49,
         0.58,
         "two steps of Llama 3 8B on 8 H100s of 500 W (TorchTitan's performance page)"},
        {"a100",
         "torchtitan",
         ProductFormat::BF16,
         0.52,
         0.63,
         0.75,
         "steps of Llama 3 8B and Llama 2 13B on 64 A100s (TorchTitan's performance page)"},
        {"a100",
         "",
         ProductFormat::BF16,
         0.55,
         0.64,
         0.74,
         "two steps of a GPT of 22B on 8 A100s (arXiv 2205.05198)"},
        {"h100",
         "",
         ProductFormat::BF16,
         0.53,
         0.64,
         0.76,
         "an MFU of 43 % of Llama 3 405B on 8192 H100s (arXiv 2407.21783)"},
        {"",
         "",
         ProductFormat::BF16,
         0.45,
         0.6,
         0.75,
         "an assumption: as an H100, no step of this GPU was taken"},
    };
    return all;
}

const KernelEfficiency&
KernelEfficiency::Find(const std::string& gpu, const std::string& framework, ProductFormat format)
{
    const ProductFormat wanted = format == ProductFormat::TF32 ? ProductFormat::BF16 : format;
    const auto& all = GetAll();
    const auto found = std::find_if(all.begin(), all.end(), [&](const KernelEfficiency& entry) {
        return entry.format == wanted && gpu.find(entry.gpu) != std::string::npos &&
               framework.compare(0, entry.framework.size(), entry.framework) == 0;
    });
    NS_ASSERT_MSG(found != all.end(), "there is no entry for any GPU and framework");
    return *found;
}

} // namespace ns3
