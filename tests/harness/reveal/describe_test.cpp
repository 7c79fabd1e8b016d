// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/describe.hpp"

#include <gmock/gmock.h>

#include "harness/reveal/find_tree.hpp"
#include "tests/harness/reveal/summing.hpp"

namespace parity::reveal {
namespace {

using testing::HasSubstr;

template <class Sum>
std::string order(size_t terms, const Sum& sum) {
  return describe_order(find_tree(float32_operator(terms, false, [=](auto x, auto) { return sum(x); })).tree);
}

template <class Sum>
std::string arithmetic(const Sum& dot) {
  const SummingOperator op = float32_operator(12, true, dot);
  const SummationTree tree = find_tree(op).tree;
  return describe_arithmetic(tree, find_arithmetic(op, tree), true);
}

TEST(DescribeTest, OrdersHaveTheirNames) {
  EXPECT_EQ(order(20, loop_sum), "left to right");
  EXPECT_EQ(order(40, lane_sum),
            "in 8 lanes of every 8th element, each left to right; then the lanes pairwise");
  EXPECT_EQ(order(19, lane_sum),
            "in 8 lanes of every 8th element, each left to right; then the lanes pairwise");
  EXPECT_EQ(order(20,
                  [](auto x) {
                    float sum = 0;
                    for (size_t k = x.size(); k-- > 0;)
                      sum += x[k];
                    return sum;
                  }),
            "right to left");
  EXPECT_EQ(order(64,
                  [](auto x) {
                    float sum = 0;
                    for (size_t block = 0; block < 64; block += 16)
                      sum += lane_sum(x.subspan(block, 16));
                    return sum;
                  })
                .substr(0, 39),
            "in an order without a common name: 7 ad");
}

TEST(DescribeTest, FusedProductsAreTold) {
  EXPECT_EQ(arithmetic(fused_dot), "in float32, with fused multiply-add (11 of 12 products)");
  EXPECT_EQ(arithmetic(rounded_dot), "in float32, with rounded products");
}

TEST(DescribeTest, WiderSumsAreTold) {
  EXPECT_EQ(arithmetic([](auto x, auto w) {
              double sum = 0;
              for (size_t k = 0; k < x.size(); ++k)
                sum += static_cast<double>(x[k]) * w[k];
              return static_cast<float>(sum);
            }),
            "in float64, with rounded products");
}

}  // namespace
}  // namespace parity::reveal
