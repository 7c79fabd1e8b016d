// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/trace_gap.hpp"

#include <gmock/gmock.h>

#include "tests/support/relation_world.hpp"

namespace parity::bisect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TraceGapTest : public PlantedTest {
 protected:
  static PlantedRun run() { return noisy_run(0x1p-22, 1, true); }
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

}  // namespace
}  // namespace parity::bisect
