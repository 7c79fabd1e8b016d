// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/replica_check.hpp"

#include <gmock/gmock.h>

#include "tests/support/traces/recorded.hpp"

namespace parity::suite {
namespace {

using testing::ElementsAre;

class ReplicaCheckTest : public RecordedTest {
 protected:
  /// Two steps of two ranks with one weight each; the weight of rank 1 has `second` at its second element in
  /// step 2.
  void record(float second, double loss_of_one = 1) const {
    for (const int64_t rank : {1, 0}) {
      trace::Recorder::Options chosen = options();
      chosen.rank = rank;
      chosen.ranks = 2;
      trace::Recorder recorder(std::move(chosen));
      for (int64_t step = 1; step <= 2; ++step) {
        const std::vector<float> values = {1, rank == 1 && step == 2 ? second : 2.0F};
        recorder.begin_step(step);
        recorder.channel("loss", rank == 1 ? loss_of_one : 1.0);
        recorder.tensor(trace::Phase::param, "w", view_of(DType::float32, values));
        recorder.end_step();
      }
      recorder.finish();
    }
  }
};

TEST_F(ReplicaCheckTest, EqualReplicasPass) {
  record(2);
  const auto check = replica_check("arm", trace::Trace::open(folder));
  ASSERT_TRUE(check);
  EXPECT_EQ(check->kind, results::CheckKind::replicas);
  EXPECT_TRUE(check->result.passed);
  EXPECT_EQ(check->result.sentence,
            "the replicas on the 2 ranks of arm are bitwise identical: 3 tensors and channels compared");
}

TEST_F(ReplicaCheckTest, AFindingNamesTensorStepPhaseRanksAndElement) {
  record(0x1.000002p+1F);
  const auto check = replica_check("arm", trace::Trace::open(folder));
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->result.passed);
  EXPECT_EQ(check->result.verdict, compare::Verdict::different);
  EXPECT_EQ(check->result.sentence,
            "param w of arm differs between ranks 0 and 1 at step 2, although both hold the same values; "
            "element [1] is 2 on rank 0 and 2.0000002 on rank 1");
  EXPECT_THAT(replica_command(*check, "out/runs/x"),
              ElementsAre("parity", "compare", "out/runs/x/trace.h5", "out/runs/x/trace.rank1.h5", "--phase",
                          "param", "--tensor", "w", "--step", "2"));
}

TEST_F(ReplicaCheckTest, AChannelIsAFindingToo) {
  record(2, 1.5);
  const auto check = replica_check("arm", trace::Trace::open(folder));
  EXPECT_EQ(
      check->result.sentence,
      "loss of arm differs between ranks 0 and 1 at step 1, although both hold the same values; it is 1 "
      "on rank 0 and 1.5 on rank 1");
}

TEST_F(ReplicaCheckTest, SettingsAlone_AreNotReplicas) {
  for (const int64_t rank : {1, 0}) {
    trace::Recorder::Options chosen = options();
    chosen.rank = rank;
    chosen.ranks = 2;
    trace::Recorder recorder(std::move(chosen));
    recorder.begin_step(1);
    recorder.channel("lr", 0.1);
    recorder.channel("weight_decay.1", 0.0);
    recorder.channel("loss", 1.0 + static_cast<double>(rank), trace::ChannelKind::per_rank);
    recorder.end_step();
    recorder.finish();
  }
  const auto check = replica_check("arm", trace::Trace::open(folder));
  ASSERT_TRUE(check);
  EXPECT_EQ(
      check->result.sentence,
      "2 settings of the optimizer are equal on the 2 ranks of arm; no two ranks recorded one tensor, so "
      "their replicas were not compared (a check of param compares them)");
}

TEST_F(ReplicaCheckTest, ARunOfOneRankHasNone) {
  trace::Recorder recorder(options());
  RecordedTest::record(recorder, 1, 1);
  recorder.finish();
  EXPECT_FALSE(replica_check("arm", trace::Trace::open(folder)));
}

}  // namespace
}  // namespace parity::suite
