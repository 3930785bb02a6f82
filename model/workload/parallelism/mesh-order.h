// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MESH_ORDER_H
#define PHOTONIC_RAILS_MESH_ORDER_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/// A dimension of the mesh of all ranks. Expert parallelism has none: it uses ranks of others.
enum class MeshDimension : uint8_t
{
    PP,        //!< pipeline ranks
    REPLICATE, //!< replicas of the parameters (HSDP, DDP)
    SHARD,     //!< shards of the parameters, over ranks with different data
    CP,        //!< parts of the same sequences
    TP,        //!< parts of the same layers
};

/**
 * @tparam T type with a member for each dimension: pp, replicate, fsdp, cp, tp
 * @param of degrees or coordinates
 * @param dimension a dimension of the mesh
 * @return the member for the dimension
 */
template <typename T>
auto&
SelectDimension(T& of, MeshDimension dimension)
{
    switch (dimension)
    {
    case MeshDimension::PP:
        return of.pp;
    case MeshDimension::REPLICATE:
        return of.replicate;
    case MeshDimension::SHARD:
        return of.fsdp;
    case MeshDimension::CP:
        return of.cp;
    case MeshDimension::TP:
        break;
    }
    return of.tp;
}

/// The order of the dimensions of the mesh, outermost first. The order decides which ranks are
/// neighbours.
class MeshOrder
{
  public:
    static constexpr std::size_t DIMENSIONS = 5; //!< number of dimensions

    using Dimensions = std::array<MeshDimension, DIMENSIONS>;

    /// TorchTitan's order (ParallelDims): pp, replicate, shard, cp, tp.
    MeshOrder() = default;

    /// @param dimensions all dimensions, outermost first
    explicit MeshOrder(const Dimensions& dimensions);

    /**
     * @param text such as "pp-dp-fsdp-cp-tp", outermost first; "dp" are the replicas
     * @return the order, or nothing unless each of the five dimensions occurs exactly once
     */
    static std::optional<MeshOrder> Parse(const std::string& text);

    /// @return the order in the format of Parse
    std::string ToString() const;

    /// @return the dimensions, outermost first
    const Dimensions& GetDimensions() const;

  private:
    Dimensions m_dimensions{MeshDimension::PP,
                            MeshDimension::REPLICATE,
                            MeshDimension::SHARD,
                            MeshDimension::CP,
                            MeshDimension::TP};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MESH_ORDER_H
