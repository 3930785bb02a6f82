// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_KERNEL_EFFICIENCY_H
#define PHOTONIC_RAILS_KERNEL_EFFICIENCY_H

#include "ns3/framework.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The share of a GPU's peak FLOP/s that its matrix products reach, as published steps imply.
 *
 * With its share a simulated step takes as long as the published one: the module's rules of
 * the framework, its memory-bound operators, communication and bubbles are already in that step. So
 * it is not an MFU, which counts all of these as lost.
 */
struct KernelEfficiency
{
    std::string gpu;                           //!< part of the name of a GpuSpec; empty: any
    std::string framework;                     //!< beginning of the name of a Framework; empty: any
    ProductFormat format{ProductFormat::BF16}; //!< of the factors; TF32 is as BF16
    double low{0};      //!< 0 to 1, the lowest that a step of this kind is expected to need
    double typical{0};  //!< 0 to 1, the default of a job
    double high{0};     //!< 0 to 1, the highest
    std::string source; //!< which steps, or what is assumed, in a line

    /// @return all entries, a more special one before those that it is a case of
    static const std::vector<KernelEfficiency>& GetAll();

    /**
     * @brief The first entry that fits.
     * @param gpu name of a GpuSpec
     * @param framework name of a Framework, or empty if none is known
     * @param format of the factors
     * @return the entry: there is one for everything
     */
    static const KernelEfficiency& Find(const std::string& gpu,
                                        const std::string& framework,
                                        ProductFormat format);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_KERNEL_EFFICIENCY_H
