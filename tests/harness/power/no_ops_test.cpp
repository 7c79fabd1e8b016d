// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/no_ops.hpp"

#include <gmock/gmock.h>

namespace parity::power {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

suite::FlatConfig plain() {
  return {{"steps", 3},
          {"threads", 1},
          {"loss.normalization", "global_tokens"},
          {"loss.accumulation", "prefetched"},
          {"data.global_batch", 4},
          {"data.micro_batches", 1},
          {"parallel.dp_shard", 1},
          {"parallel.activation_checkpointing_every", 2}};
}

std::vector<std::string> describe(const suite::FlatConfig& config) {
  std::vector<std::string> words;
  for (const NoOp& change : no_ops_of(config))
    words.push_back(change.words);
  return words;
}

TEST(NoOpsTest, ThreadsRestartsPiecesAndRanks) {
  EXPECT_THAT(describe(plain()), ElementsAre("2 threads", "3 threads", "4 threads", "resumed after update 1",
                                             "resumed after update 2", "2 micro-batches", "4 micro-batches",
                                             "dp_replicate 2", "dp_shard 2"));
}

TEST(NoOpsTest, OnlyARestartKeepsEveryBit) {
  for (const NoOp& change : no_ops_of(plain()))
    EXPECT_EQ(change.exact, change.words.starts_with("resumed")) << change.words;
}

TEST(NoOpsTest, AMeanOfMeansIsNotCut) {
  suite::FlatConfig config = plain();
  config["loss.normalization"] = "microbatch_mean";
  EXPECT_THAT(describe(config), Not(Contains("2 micro-batches")));
  EXPECT_THAT(describe(config), Contains("resumed after update 1"));
}

TEST(NoOpsTest, AnArmKeepsItsRanksAndItsRestart) {
  suite::FlatConfig config = plain();
  config["parallel.dp_shard"] = 2;
  config["checkpoint.restart_after"] = 1;
  EXPECT_THAT(describe(config), ElementsAre("2 threads", "3 threads", "4 threads"));
}

}  // namespace
}  // namespace parity::power
