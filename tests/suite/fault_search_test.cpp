// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The search with the trainer that is really started: a fault is found at its step, phase, tensor and rank.
#include <gmock/gmock.h>

#include "harness/bisect/tensor_path.hpp"
#include "tests/suite/planted_fault.hpp"

namespace parity {
namespace {

using FaultSearchTest = PlantedFaultTest;

TEST_F(FaultSearchTest, TwentySeededFaultsAreFoundWhereTheyAre) {
  int64_t exact = 0;
  EXPECT_THAT(campaign(20, 20261122, exact), testing::IsEmpty());
  EXPECT_EQ(exact, 20);
}

/// Parts of the model, their gradients and all that follows are the same numbers in every layout, up to the
/// order of sums: each rank tells rightly which part of the logical tensor it has.
TEST_F(FaultSearchTest, EveryLayoutRecordsTheSameLogicalTensors) {
  Capture all;
  all.sketches.push_back({{1}, {}, {}});
  std::vector<ExtraArm> extra;
  for (const Layout& layout : layouts) {
    ExtraArm arm;
    arm.of = layout.name;
    arm.suffix = "all";
    arm.span.stop_after = 1;
    arm.capture = all;
    extra.push_back(std::move(arm));
  }
  Case source = with_extra_arms(all_layouts(), extra);
  source.checks.clear();
  source.check_places.clear();
  std::erase_if(source.arms, [](const Arm& arm) { return arm.stands_for.empty(); });
  source.reference = "one~all";
  const ArmRuns runs = run_arms(source, options(), progress_);
  const Trace& one = *runs.evidence.trace("one~all");
  for (const Layout& layout : layouts) {
    const Trace& other = *runs.evidence.trace(std::string(layout.name) + "~all");
    EXPECT_TRUE(other.replica_differences().empty()) << layout.name;
    const TensorPath path = compare_path(one, other, 1);
    std::map<Phase, int64_t> count;
    for (const TensorStation& station : path.stations) {
      ++count[station.key.phase];
      EXPECT_LE(station.relative.value_or(0), 1e-5) << layout.name << ' ' << station.key.name;
    }
    // Under context parallel attention has keys and values in an order of its own.
    const int64_t parts = std::string(layout.name) == "context" ? 27 : 31;
    EXPECT_EQ(count[Phase::forward], parts) << layout.name;
    EXPECT_EQ(count[Phase::backward], parts) << layout.name;
    EXPECT_EQ(count[Phase::grad], 21) << layout.name;
    EXPECT_EQ(count[Phase::optim], 42) << layout.name;
  }
}

/// Watching the operators of one run twice sees the same: nothing that was never written is recorded.
TEST_F(FaultSearchTest, EveryOperatorOfARunRepeatsBitForBit) {
  Capture all;
  all.operators.push_back({{2}, {}, {}});
  all.sketches.push_back({{2}, {}, {}});
  for (const char* layout : {"one", "tensor"}) {
    std::vector<std::map<TensorKey, std::vector<RankRow>>> seen;
    for (const char* out : {"out", "again"}) {
      ExtraArm arm;
      arm.of = layout;
      arm.suffix = "operators";
      arm.span.stop_after = 2;
      arm.capture = all;
      Case source = with_extra_arms(all_layouts(), {arm});
      source.checks.clear();
      source.check_places.clear();
      std::erase_if(source.arms, [](const Arm& each) { return each.stands_for.empty(); });
      source.reference = arm.name();
      SuiteOptions there = options();
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
