// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/double-binary-tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

TEST(DoubleBinaryTreeTest, BothSpanAllNodesAndNoneIsInnerInBoth)
{
    for (uint32_t nodes = 1; nodes <= 300; ++nodes)
    {
        const DoubleBinaryTree trees(nodes);
        std::vector<uint32_t> inner(nodes + 1, 0);
        for (uint32_t tree = 0; tree < DoubleBinaryTree::TREES; ++tree)
        {
            uint32_t edges = 0;
            uint32_t deepest = 0;
            for (uint32_t node = 1; node <= nodes; ++node)
            {
                const auto children = trees.GetChildren(tree, node);
                ASSERT_LE(children.size(), 2U);
                inner[node] += children.empty() ? 0 : 1;
                edges += static_cast<uint32_t>(children.size());
                for (const uint32_t child : children)
                {
                    ASSERT_EQ(trees.GetParent(tree, child), node);
                }
                uint32_t depth = 0;
                for (uint32_t up = node; trees.GetParent(tree, up) != 0; ++depth)
                {
                    up = trees.GetParent(tree, up);
                    ASSERT_LE(depth, nodes) << "a cycle";
                }
                deepest = std::max(deepest, depth);
            }
            EXPECT_EQ(edges, nodes - 1);
            EXPECT_EQ(trees.GetParent(tree, trees.GetRoot(tree)), 0U);
            EXPECT_EQ(deepest, trees.GetDepth()) << nodes << " nodes";
            EXPECT_LE(1U << deepest, nodes);
            EXPECT_GT(2U << deepest, nodes);
        }
        EXPECT_LE(*std::max_element(inner.begin(), inner.end()), 1U) << nodes << " nodes";
    }
}

} // namespace
} // namespace ns3
