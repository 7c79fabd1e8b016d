// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/train_fixture.hpp"

// parity-train with data.source = rollouts, as a user runs it.

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class PolicyProgramTest : public TrainProgramTest {
 protected:
  static Json policy(const Json& changes = Json::object()) {
    Json config = {{"architecture.dim", 32},        {"architecture.n_layers", 2},
                   {"architecture.n_heads", 4},     {"architecture.n_kv_heads", 2},
                   {"architecture.vocab_size", 12}, {"architecture.ffn_hidden", 48},
                   {"data.source", "rollouts"},     {"data.seq_len", 8},
                   {"data.global_batch", 16},       {"steps", 4}};
    config.update(changes);
    return config;
  }

  trace::Trace trained(const Json& changes, const std::string& options = "") const {
    const CommandResult result =
        train(write_config(policy(changes)).string() + " --trace " + trace_path().string() + options);
    EXPECT_EQ(result.status, 0) << result.output;
    return trace::Trace::open(trace_path());
  }
};

TEST_F(PolicyProgramTest, TellsOfRewardsAndRecordsItsChannels) {
  const CommandResult result = train(write_config(policy()).string() + " --trace " + trace_path().string());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, testing::ContainsRegex("step 4/4 .* reward -?[0-9.]+  right [0-9]+ %"));
  const trace::Trace trace = trace::Trace::open(trace_path());
  for (const char* channel :
       {"ratio_mean", "ratio_clipped", "logprob_diff_mean", "logprob_diff_max", "logprobs_different",
        "logprobs_equal", "entropy", "advantage_mean", "advantage_std", "reward_mean", "reward_exact",
        "response_length", "rollout_digest", "version_lag", "generated_tokens_per_second", "push_seconds"})
    EXPECT_EQ(channel_of(trace, channel).size(), 4) << channel;
  EXPECT_THAT(channel_of(trace, "version_lag"), Each(0));
  EXPECT_FALSE(trace.channels().contains("kl"));
}

TEST_F(PolicyProgramTest, SaysHowFarTheGeneratorIsBehind) {
  const trace::Trace trace = trained({{"rl.push_every", 3}, {"rl.kl_coef", 0.1}});
  EXPECT_EQ(channel_of(trace, "version_lag"), (std::vector<double>{0, 1, 2, 0}));
  EXPECT_EQ(channel_of(trace, "kl")[0], 0);
}

TEST_F(PolicyProgramTest, GoesOnFromACheckpointAsIfItHadNotStopped) {
  const Json asynchronous = {{"rl.kl_coef", 0.1}, {"rl.loop", "asynchronous"}, {"rl.staleness", 2}};
  for (const int64_t push_every : {0, 1, 3}) {  // the generator lags after two of three updates
    const Json changes =
        push_every == 0 ? asynchronous : Json{{"rl.kl_coef", 0.1}, {"rl.push_every", push_every}};
    const std::vector<double> straight = channel_of(trained(changes), "grad_norm");
    const std::string checkpoint = (folder / ("checkpoint" + std::to_string(push_every))).string();
    const std::string config = write_config(policy(changes)).string();
    ASSERT_EQ(train(config + " --checkpoint-dir " + checkpoint + " --stop-after 2").status, 0);
    const CommandResult result =
        train(config + " --start-from " + checkpoint + " --trace " + trace_path().string());
    ASSERT_EQ(result.status, 0) << result.output;
    const std::vector<double> resumed = channel_of(trace::Trace::open(trace_path()), "grad_norm");
    EXPECT_EQ(resumed, std::vector<double>(straight.begin() + 2, straight.end())) << push_every;
  }
}

TEST_F(PolicyProgramTest, AnAsynchronousLoopIsAsStaleAsItSays) {
  const trace::Trace trace = trained({{"rl.loop", "asynchronous"}, {"rl.staleness", 2}});
  EXPECT_EQ(channel_of(trace, "version_lag"), (std::vector<double>{0, 1, 2, 2}));
}

TEST_F(PolicyProgramTest, ImportedScoresOfAnotherPolicyAreRefused) {
  const std::string line =
      R"({"prompt": [1, 2, 10], "tokens": [3, 11], "logprobs": [-9, -2], "reward": 1, "version": 0})";
  std::string text;
  for (int i = 0; i < 16; ++i)
    text += line + "\n";
  write_file(folder / "r.jsonl", text);
  const Json changes = {{"data.path", (folder / "r.jsonl").string()}, {"rl.largest_gap", 0.1}};
  const CommandResult result = train(write_config(policy(changes)).string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output,
              testing::ContainsRegex("r.jsonl:[0-9]+ does not come from this policy: it gives the "
                                     "token after position 2 the log probability -9"));
}

TEST_F(PolicyProgramTest, ADefectOfAnUnknownWeightIsRefused) {
  const CommandResult result = train(
      write_config(policy({{"rl.push_omits", Json::array({"layers.1.attention.w0.weight"})}})).string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("the generator has no such weight"));
  EXPECT_THAT(result.output, HasSubstr("did you mean 'layers.1.attention.w"));
}

TEST_F(PolicyProgramTest, PairsWithoutAPreferenceAreRefused) {
  const CommandResult result =
      train(write_config(policy({{"rl.loss", "dpo"}, {"rl.group_size", 2}, {"rl.temperature", 0}})).string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("no pair of the update has a preference"));
}

TEST_F(PolicyProgramTest, RolloutsThatAreTooOldAreRefused) {
  const CommandResult result =
      train(write_config(policy({{"rl.push_every", 3}, {"rl.max_lag", 1}})).string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(
      result.output,
      HasSubstr("was written by policy version 0, and the trainer has version 2 (the lag may be at most 1)"));
}

TEST_F(PolicyProgramTest, AGreedyPolicyWritesTheSameForAllOfAGroup) {
  const trace::Trace trace = trained({{"rl.temperature", 0}});
  EXPECT_THAT(channel_of(trace, "advantage_std"), Each(0));
}

TEST_F(PolicyProgramTest, BatchInvariant_TrainerAndGeneratorBitsAgree) {
  for (const Json& more : {Json::object(), Json{{"parallel.activation_checkpointing", "full"}},
                           Json{{"rl.temperature", 0.7}, {"data.micro_batches", 4}}}) {
    Json invariant = {{"train.batch_invariant", true}, {"attention.backend", "tiled"}};
    invariant.update(more);
    const trace::Trace trace = trained(invariant);
    EXPECT_THAT(channel_of(trace, "logprobs_equal"), Each(1));
    EXPECT_THAT(channel_of(trace, "ratio_mean"), Each(1));
  }
}

}  // namespace
}  // namespace parity::reference
