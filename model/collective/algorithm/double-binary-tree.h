// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DOUBLE_BINARY_TREE_H
#define PHOTONIC_RAILS_DOUBLE_BINARY_TREE_H

#include "ns3/assert.h"

#include <boost/integer/integer_log2.hpp>
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
    explicit DoubleBinaryTree(uint32_t nodes)
        : m_nodes(nodes)
    {
        NS_ASSERT_MSG(nodes > 0, "a tree without nodes");
    }

    /**
     * @param tree 0 or 1
     * @return its root
     */
    uint32_t GetRoot(uint32_t tree) const
    {
        return ToNode(tree, 1U << GetDepth());
    }

    /**
     * @param tree 0 or 1
     * @param node a node
     * @return its parent, 0 for the root
     */
    uint32_t GetParent(uint32_t tree, uint32_t node) const
    {
        const uint32_t place = ToPlace(tree, node);
        const uint32_t reach = GetReach(place);
        const uint32_t below = place - reach; // root of the next higher subtree to the left
        const uint32_t parent = below | reach << 1;
        if (parent <= m_nodes)
        {
            return ToNode(tree, parent);
        }
        return below == 0 ? 0 : ToNode(tree, below);
    }

    /**
     * @param tree 0 or 1
     * @param node a node
     * @return its children, at most two
     */
    std::vector<uint32_t> GetChildren(uint32_t tree, uint32_t node) const
    {
        const uint32_t place = ToPlace(tree, node);
        const uint32_t half = GetReach(place) / 2;
        if (half == 0)
        {
            return {};
        }
        std::vector<uint32_t> children{ToNode(tree, place - half)};
        uint32_t reach = half;
        while (reach > 0 && place + reach > m_nodes)
        {
            reach /= 2;
        }
        if (reach > 0)
        {
            children.push_back(ToNode(tree, place + reach));
        }
        return children;
    }

    /// @return edges from the root to the deepest leaf: log2 of the number of nodes, rounded down
    uint32_t GetDepth() const
    {
        return static_cast<uint32_t>(boost::integer_log2(m_nodes));
    }

  private:
    /// @return the lowest bit that is set: how far from a place its subtree reaches
    static uint32_t GetReach(uint32_t place)
    {
        return place & (~place + 1);
    }

    /// @return the number in the first tree of a node's place in a tree
    uint32_t ToPlace(uint32_t tree, uint32_t node) const
    {
        NS_ASSERT(tree < TREES && node >= 1 && node <= m_nodes);
        if (tree == 0 || m_nodes % 2 == 0)
        {
            return tree == 0 ? node : m_nodes + 1 - node;
        }
        return node == 1 ? m_nodes : node - 1;
    }

    /// @return the node at a place
    uint32_t ToNode(uint32_t tree, uint32_t place) const
    {
        if (tree == 0 || m_nodes % 2 == 0)
        {
            return tree == 0 ? place : m_nodes + 1 - place;
        }
        return place == m_nodes ? 1 : place + 1;
    }

    uint32_t m_nodes; //!< number of nodes
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DOUBLE_BINARY_TREE_H
