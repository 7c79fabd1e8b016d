// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that differ where they must agree are a difference of their own, also where no joined value shows it.
#include <gmock/gmock.h>

#include "harness/bisect/traces/first_step.hpp"
#include "harness/bisect/traces/search_traces.hpp"
#include "harness/bisect/traces/tensor_path.hpp"
#include "tests/harness/bisect/traces/side_ranks.hpp"

namespace parity::bisect {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using trace::Phase;

class SplitReplicasTest : public SideRanksTest {
 protected:
  /// A parameter, a buffer and the optimizer's state, equal on all ranks. From `bad_step` on, the last rank
  /// has others in the phase.
  trace::Trace replicas(const std::string& file, int64_t ranks, int64_t bad_step = 9,
                        Phase bad_phase = Phase::param, const std::string& bad_name = "norm.weight") const {
    return side(file, ranks, [=](int64_t rank, int64_t step) {
      std::vector<RankOffer> offers = {{Phase::grad, "norm.weight", {1, 2, 3}},
                                       {Phase::optim, "exp_avg/norm.weight", {4, 5, 6}},
                                       {Phase::param, "norm.weight", {7, 8, 9}},
                                       {Phase::param, "expert_bias", {0, 1, 0}}};
      for (RankOffer& offer : offers)
        if (rank > 0 && rank == ranks - 1 && step >= bad_step && offer.phase == bad_phase &&
            offer.name == bad_name)
          offer.values[1] += 0.5;
      return offers;
    });
  }
  /// Returns the search of a run of one rank against one of several.
  static SearchRecord search(const trace::Trace& good, trace::Trace bad) { return search_traces(good, bad); }
};

TEST_F(SplitReplicasTest, HigherRank_IsFoundAgainstOneProcess) {
  for (const int64_t ranks : {2, 3, 4}) {
    const SearchRecord record = search(replicas("a" + std::to_string(ranks), 1),
                                       replicas("b" + std::to_string(ranks), ranks, 1, Phase::grad));
    EXPECT_TRUE(record.differs);
    const SearchStage& stage = record.stages.front();
    EXPECT_EQ(stage.details.at("step"), 1);
    EXPECT_EQ(stage.details.at("phase"), "grad");
    EXPECT_EQ(stage.details.at("name"), "norm.weight");
    EXPECT_EQ(stage.details.at("replicas"), Json({{"side", "actual"}, {"rank", ranks - 1}, {"other", 0}}));
    EXPECT_THAT(record.sentence,
                HasSubstr("of the second differs from rank 0, although both must hold the same"));
  }
}

TEST_F(SplitReplicasTest, BuffersAndState_AreStationsFromStepZero) {
  for (const auto& [phase, name] :
       {std::pair(Phase::param, "expert_bias"), {Phase::optim, "exp_avg/norm.weight"}}) {
    const SearchRecord record =
        search(replicas(std::string("a") + name, 1), replicas(std::string("b") + name, 2, 0, phase, name));
    EXPECT_EQ(record.stages.front().details.at("step"), 0);
    EXPECT_EQ(record.stages.front().details.at("name"), name);
  }
}

TEST_F(SplitReplicasTest, ExpectedSide_IsNamedToo) {
  const SearchRecord record = search(replicas("a", 2, 2), replicas("b", 1));
  EXPECT_EQ(record.stages.front().details.at("replicas").at("side"), "expected");
  EXPECT_EQ(record.stages.front().details.at("step"), 2);
}

TEST_F(SplitReplicasTest, EqualReplicas_DoNotDiffer) {
  EXPECT_FALSE(search(replicas("a", 1), replicas("b", 4)).differs);
  EXPECT_FALSE(search(replicas("c", 2), replicas("d", 2)).differs);
}

TEST_F(SplitReplicasTest, AnySize_CountsBeyondRounding) {
  const TensorPath path = compare_path(replicas("a", 1), replicas("b", 2, 2), 2);
  ASSERT_NE(path.first_difference(1e-3), nullptr);
  EXPECT_EQ(path.first_difference(1e-3)->key.name, "norm.weight");
  EXPECT_EQ(path.differing(1e300), 1U);
}

TEST_F(SplitReplicasTest, SplitOnBothSides_IsKeptApart) {
  const TensorPath path = compare_path(replicas("a", 2, 1), replicas("b", 2, 1), 1);
  EXPECT_EQ(path.first_difference(), nullptr);
  ASSERT_EQ(path.split_on_both.size(), 1U);
  EXPECT_EQ(path.split_on_both.front().name, "norm.weight");
  EXPECT_THAT(compare_path(replicas("c", 2), replicas("d", 2, 1), 1).split_on_both, IsEmpty());
}

TEST_F(SplitReplicasTest, OtherPairOfRanks_IsADifference) {
  const TensorPath path = compare_path(replicas("a", 2, 1), replicas("b", 3, 1), 1);
  ASSERT_NE(path.first_difference(), nullptr);
  EXPECT_FALSE(path.first_difference()->split->of_expected);
  EXPECT_EQ(path.first_difference()->split->rank, 2);
}

TEST_F(SplitReplicasTest, ChannelOfOneRank_IsNamedWithBothValues) {
  const auto none = [](int64_t, int64_t) { return std::vector<RankOffer>(); };
  const auto loss = [](int64_t rank, int64_t step) { return rank == 1 && step == 2 ? 2.5 : 2.0; };
  const auto split = first_split_channel(side("a", 1, none), side("b", 2, none, loss));
  ASSERT_TRUE(split);
  EXPECT_EQ(split->text("good", "bad"), "loss of rank 1 of bad is 2.5 at step 2, that of rank 0 is 2");
  EXPECT_FALSE(first_split_channel(side("c", 2, none, loss), side("d", 2, none, loss)));
  EXPECT_FALSE(first_split_channel(side("e", 1, none), side("f", 4, none)));
}

}  // namespace
}  // namespace parity::bisect
