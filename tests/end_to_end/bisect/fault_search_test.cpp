// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The search with the real trainer: it finds a fault at its step, phase, tensor and rank.
#include <gmock/gmock.h>

#include "tests/end_to_end/faults/planted_fault.hpp"

namespace parity {
namespace {

using FaultSearchTest = PlantedFaultTest;

/// One fault in each of the twenty layouts, by its number.
class SeededFaultTest : public PlantedFaultTest, public testing::WithParamInterface<size_t> {};

TEST_P(SeededFaultTest, IsFoundWhereItIs) {
  int64_t exact = 0;
  EXPECT_THAT(campaign(1, 20261122 + GetParam(), exact, GetParam(), 1), testing::IsEmpty());
  EXPECT_EQ(exact, 1);
}

INSTANTIATE_TEST_SUITE_P(Layouts, SeededFaultTest, testing::Range(size_t{0}, fault_layouts.size()),
                         [](const auto& each) { return std::string(fault_layouts.at(each.param).name); });

/// Watching the operators of a run twice gives the same: memory that was never written is not recorded.
TEST_F(FaultSearchTest, EveryOperatorOfARunRepeatsBitForBit) {
  trace::Capture all;
  all.operators.push_back({{2}, {}, {}});
  all.sketches.push_back({{2}, {}, {}});
  for (const char* layout : {"one", "tensor"}) {
    std::vector<std::map<trace::TensorKey, std::vector<trace::RankRow>>> seen;
    for (const char* out : {"out", "again"}) {
      suite::ExtraArm arm;
      arm.of = layout;
      arm.suffix = "operators";
      arm.span.stop_after = 2;
      arm.capture = all;
      suite::Case source = with_extra_arms(all_layouts(), {arm});
      source.checks.clear();
      source.check_places.clear();
      std::erase_if(source.arms, [](const suite::Arm& each) { return each.stands_for.empty(); });
      source.reference = arm.name();
      suite::SuiteOptions there = options();
      there.out = folder_ / out;
      seen.push_back(run_arms(source, there, progress_).evidence.trace(arm.name())->rank_rows());
    }
    ASSERT_EQ(seen.front().size(), seen.back().size());
    int64_t operators = 0;
    for (const auto& [key, rows] : seen.front()) {
      operators += key.name.find('@') != std::string::npos ? 1 : 0;
      ASSERT_TRUE(seen.back().contains(key)) << key.name;
      for (size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(rows[i].digest, seen.back().at(key)[i].digest) << layout << ' ' << key.name;
    }
    EXPECT_GT(operators, 1000) << layout;
  }
}

}  // namespace
}  // namespace parity
