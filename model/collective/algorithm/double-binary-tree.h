// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DOUBLE_BINARY_TREE_H
#define PHOTONIC_RAILS_DOUBLE_BINARY_TREE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Two binary trees over the same nodes, each of which is a leaf in one of them at least.
 *
 * Each node therefore forwards only one half of the data, and the two trees together use the full
 * bandwidth of every node (Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth
 * broadcast, reduction and scan", Parallel Computing 35, 2009; in NCCL since 2.4).
 *
 * Nodes are numbered from 1 to `nodes`. The first tree is numbered in order: odd numbers are
 * leaves, and a number with k trailing zeros stands k levels above them, its children 2^(k-1) below
 * and above it; where that is beyond the last node, the next node down the left flank takes the
 * place. The second tree is the first one mirrored if the number of nodes is even, and shifted by
 * one if it is odd, so that a node with children in one tree has none in the other.
 */
class DoubleBinaryTree
{
  public:
    static constexpr uint32_t TREES = 2; //!< number of trees

    /// @param nodes number of nodes, at least 1
    explicit DoubleBinaryTree(uint32_t nodes);

    /**
     * @param tree 0 or 1
     * @return its root
     */
    uint32_t GetRoot(uint32_t tree) const;

    /**
     * @param tree 0 or 1
     * @param node a node
     * @return its parent, 0 for the root
     */
    uint32_t GetParent(uint32_t tree, uint32_t node) const;

    /**
     * @param tree 0 or 1
     * @param node a node
     * @return its children, at most two
     */
    std::vector<uint32_t> GetChildren(uint32_t tree, uint32_t node) const;

    /// @return edges from the root to the deepest leaf: log2 of the number of nodes, rounded down
    uint32_t GetDepth() const;

  private:
    /// @return the number in the first tree of a node's place in a tree
    uint32_t ToPlace(uint32_t tree, uint32_t node) const;
    /// @return the node at a place
    uint32_t ToNode(uint32_t tree, uint32_t place) const;

    uint32_t m_nodes; //!< number of nodes
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DOUBLE_BINARY_TREE_H
