// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/trace_gap.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "tests/support/relation_world.hpp"

namespace parity::bisect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TraceGapTest : public PlantedTest {
 protected:
  static PlantedRun run() { return noisy_run(0x1p-22, 1, true); }
  TraceGap gap_from_to(const PlantedRun& before, const PlantedRun& after) {
    return gap_between(*write("first", before), *write("second", after), {});
  }
  TraceGap gap_to(const PlantedRun& after) {
    return gap_between(*write("before", run()), *write("after", after), {});
  }
};

TEST_F(TraceGapTest, OneRunIsNoDistanceFromItself) {
  const TraceGap gap = gap_to(run());
  EXPECT_EQ(gap.size, 0);
  EXPECT_THAT(gap.one_sided, IsEmpty());
}

TEST_F(TraceGapTest, WhatOnlyOneRecordedIsListed) {
  PlantedRun after = run();
  after.channels["q"] = std::vector<double>(std::get<std::vector<double>>(after.channels["q"]).begin(),
                                            std::get<std::vector<double>>(after.channels["q"]).begin() + 7);
  std::erase_if(after.tensors, [](const PlantedTensor& each) { return each.key.step > 7; });
  EXPECT_THAT(gap_to(after).one_sided, ElementsAre("3 param tensors", "steps 8-10"));
}

/// Returns a run whose parameters hold NaN in element 0 and `value` in element 1.
PlantedRun with_nan(float value) {
  PlantedRun run;
  run.channels["loss"] = std::vector<double>{1};
  run.tensors.emplace_back(trace::TensorKey{1, trace::Phase::param, "w"},
                           std::vector<float>{std::numeric_limits<float>::quiet_NaN(), value});
  return run;
}

TEST_F(TraceGapTest, TensorWithNaNOnBothSides_IsOneState) {
  const auto before = write("before", with_nan(2));
  EXPECT_EQ(gap_between(*before, *write("same", with_nan(2)), {}).size, 0);
  const TraceGap moved = gap_between(*before, *write("moved", with_nan(3)), {});
  ASSERT_TRUE(moved.first);
  EXPECT_EQ(moved.first->quantity, "param w");
  EXPECT_NEAR(moved.size, 0.5, 1e-6);
  PlantedRun finite = with_nan(2);
  finite.tensors.front().values = std::vector<float>{1, 2};
  EXPECT_TRUE(std::isinf(gap_between(*before, *write("finite", finite), {}).size));
}

TEST_F(TraceGapTest, OnlySettingsShared_IsAChangeOfRecord) {
  PlantedRun before, after;
  before.channels["loss"] = before.channels["lr"] = after.channels["lr"] = after.channels["objective"] =
      std::vector<double>{1, 2};
  const TraceGap gap = gap_from_to(before, after);
  EXPECT_THAT(gap.recorded_otherwise, testing::HasSubstr("records objective and no longer loss"));
  EXPECT_TRUE(std::isinf(gap.size));
  EXPECT_FALSE(gap.only_settings);
  before.channels.erase("loss");
  after.channels.erase("objective");
  EXPECT_TRUE(gap_from_to(before, after).only_settings);
}

}  // namespace
}  // namespace parity::bisect
