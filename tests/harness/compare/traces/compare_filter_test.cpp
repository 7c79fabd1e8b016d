// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/compare/traces/compare_traces.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

class CompareFilterTest : public PlantedTest {
 protected:
  void SetUp() override {
    PlantedTest::SetUp();
    add_arm("a", {.channels = {{"loss", falling_curve()}},
                  .tensors = {{{1, trace::Phase::param, "w"}, std::vector<float>{1, 2}}}});
    add_arm("b", {.channels = {{"loss", falling_curve(5)}},
                  .tensors = {{{1, trace::Phase::param, "w"}, std::vector<float>{1, 2}}}});
  }
  TraceDifference compared(const TraceFilter& filter, const char* first = "a", const char* second = "b") {
    return compare_traces(*arms[first].trace, *arms[second].trace, filter);
  }
  ExitCode refusal(const TraceFilter& filter) {
    try {
      compared(filter);
    } catch (const UserError& error) {
      return error.code();
    }
    return ExitCode::agree;
  }
};

TEST_F(CompareFilterTest, APhaseThatNobodyHasIsMissing) {
  EXPECT_EQ(refusal({{}, {"loss"}, {}, trace::Phase::grad}), ExitCode::missing);
  EXPECT_EQ(refusal({{}, {}, {}, trace::Phase::grad}), ExitCode::missing);
}

TEST_F(CompareFilterTest, AStepOfTheFirstAloneIsADifference) {
  for (const auto& [first, second] : {std::pair{"a", "b"}, std::pair{"b", "a"}}) {
    const TraceDifference found = compared({7, {}, {}, {}}, first, second);
    EXPECT_FALSE(found.identical());
    ASSERT_EQ(found.channels.size(), 1U);
    EXPECT_FALSE(found.channels[0].mismatch.empty());
  }
  EXPECT_TRUE(compared({5, {}, {}, {}}).identical());
  EXPECT_EQ(refusal({12, {}, {}, {}}), ExitCode::missing);
  EXPECT_EQ(refusal({0, {"loss"}, {}, {}}), ExitCode::missing);
}

TEST_F(CompareFilterTest, TracesOfTwoLengthsDiffer) {
  EXPECT_FALSE(compared({}).identical());
  EXPECT_FALSE(compared({}, "b", "a").identical());
}

}  // namespace
}  // namespace parity::compare
