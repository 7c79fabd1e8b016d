// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/run_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::suite {
namespace {

using testing::ElementsAre;

TEST(CaseOrderTest, CheapestOfEachTopic_ComesFirstThenDearest) {
  const std::vector<std::string> names = {"lr/a", "lr/b", "lr/c", "rl/learns", "rl/push", "loss/x"};
  const std::vector<double> costs = {5, 1, 7, 100, 3, 2};
  EXPECT_THAT(case_order(names, costs), ElementsAre(1, 5, 4, 3, 2, 0));
}

TEST(CaseOrderTest, CasesOfOneCostAndOfNoTopicAreAllThereOnce) {
  EXPECT_THAT(case_order({"a", "b", "c"}, {1, 1, 1}), testing::UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(case_order({}, {}), testing::IsEmpty());
}

}  // namespace
}  // namespace parity::suite
