// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/regular_steps.hpp"

#include <gmock/gmock.h>

namespace parity::logs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DueSteps, HoleOfADenseChannel_IsDue) {
  EXPECT_THAT(due_steps({1, 2, 4, 5}, {1, 2, 3, 4, 5}), ElementsAre(3));
  EXPECT_THAT(due_steps({1, 2, 4}, {1, 2, 3, 4}), ElementsAre(3));
  EXPECT_THAT(due_steps({2, 3, 4}, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 5, 6));
}

TEST(DueSteps, HoleOfASparseChannel_IsDue) {
  EXPECT_THAT(due_steps({10, 20, 40}, {10, 11, 20, 25, 30, 35, 40, 45}), ElementsAre(30));
}

TEST(DueSteps, RowsWithoutTheChannel_AreNotDue) {
  EXPECT_THAT(due_steps({100, 200, 300}, {1, 50, 100, 150, 200, 299, 300}), IsEmpty());
  EXPECT_THAT(due_steps({49, 99, 149}, {49, 63, 99, 127, 149}), IsEmpty()) << "evaluations at ends of epochs";
  EXPECT_THAT(due_steps({1, 10, 20, 30}, {1, 2, 3, 10, 11, 19, 20, 21, 29, 30}), IsEmpty());
  EXPECT_THAT(due_steps({1, 2, 5, 10, 20, 50, 100}, {1, 2, 3, 5, 6, 10, 20, 30, 50, 60, 100}), IsEmpty());
  EXPECT_THAT(due_steps({5}, {4, 5, 6}), IsEmpty()) << "one value has no interval";
  EXPECT_THAT(due_steps({1, 2, 3}, {1, 2, 3}), IsEmpty());
}

}  // namespace
}  // namespace parity::logs
