// SPDX-License-Identifier: GPL-2.0-only

#include "double-binary-tree.h"

#include "ns3/assert.h"

namespace ns3
{

namespace
{

/// @return the lowest bit that is set: how far from a place its subtree reaches
uint32_t
GetReach(uint32_t place)
{
    return place & (~place + 1);
}

} // namespace

DoubleBinaryTree::DoubleBinaryTree(uint32_t nodes)
    : m_nodes(nodes)
{
    NS_ASSERT_MSG(nodes > 0, "a tree without nodes");
}

uint32_t
DoubleBinaryTree::ToPlace(uint32_t tree, uint32_t node) const
{
    NS_ASSERT(tree < TREES && node >= 1 && node <= m_nodes);
    if (tree == 0)
    {
        return node;
    }
    if (m_nodes % 2 == 0)
    {
        return m_nodes + 1 - node;
    }
    return node == 1 ? m_nodes : node - 1;
}

uint32_t
DoubleBinaryTree::ToNode(uint32_t tree, uint32_t place) const
{
    if (tree == 0)
    {
        return place;
    }
    if (m_nodes % 2 == 0)
    {
        return m_nodes + 1 - place;
    }
    return place == m_nodes ? 1 : place + 1;
}

uint32_t
DoubleBinaryTree::GetRoot(uint32_t tree) const
{
    return ToNode(tree, 1U << GetDepth());
}

uint32_t
DoubleBinaryTree::GetParent(uint32_t tree, uint32_t node) const
{
    const uint32_t place = ToPlace(tree, node);
    const uint32_t reach = GetReach(place);
    const uint32_t below = place - reach; // where the next higher subtree to the left has its root
    const uint32_t parent = below | reach << 1;
    if (parent <= m_nodes)
    {
        return ToNode(tree, parent);
    }
    return below == 0 ? 0 : ToNode(tree, below);
}

std::vector<uint32_t>
DoubleBinaryTree::GetChildren(uint32_t tree, uint32_t node) const
{
    const uint32_t place = ToPlace(tree, node);
    const uint32_t half = GetReach(place) / 2;
    if (half == 0)
    {
        return {};
    }
    std::vector<uint32_t> children{ToNode(tree, place - half)};
    for (uint32_t reach = half; reach > 0; reach /= 2)
    {
        if (place + reach <= m_nodes)
        {
            children.push_back(ToNode(tree, place + reach));
            break;
        }
    }
    return children;
}

uint32_t
DoubleBinaryTree::GetDepth() const
{
    uint32_t depth = 0;
    while (m_nodes >> (depth + 1) > 0)
    {
        ++depth;
    }
    return depth;
}

} // namespace ns3
