// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/config/read.hpp"
#include "reference/config/validate.hpp"

namespace parity::reference {
namespace {

constexpr const char* policy = "data.source = \"rollouts\"\n";
const std::string experts = "model = \"qwen3.debug_moe_8\"\nmoe.load_balance = \"off\"\n";

struct Refused {
  std::string toml;
  std::string named;  ///< key and value that the message names
  std::string why;
};

TEST(RolloutExpertsTest, ExpertsWithoutBiases_AreAccepted) {
  for (const char* more : {"", "data.path = \"x.jsonl\"\nmoe.load_balance = \"on\""}) {
    RunConfig config;
    read_toml(config,
              std::string(policy) + "model = \"qwen3.debug_moe_8\"\n" +
                  (*more == '\0' ? "moe.load_balance = \"off\"" : more),
              "run.toml");
    EXPECT_NO_THROW(validate(config)) << more;
  }
}

class RolloutRulesTest : public testing::TestWithParam<Refused> {};

TEST_P(RolloutRulesTest, RefusesWhatCannotBe) {
  RunConfig config;
  read_toml(config, policy + GetParam().toml, "run.toml");
  EXPECT_THAT([&] { validate(config); }, testing::ThrowsMessage<UserError>(testing::AllOf(
                                             testing::StartsWith("cannot use " + GetParam().named),
                                             testing::HasSubstr(GetParam().why))));
}

std::string rule_name(const testing::TestParamInfo<Refused>& rule) {
  return "Rule" + std::to_string(rule.index);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, RolloutRulesTest,
    testing::Values(
        Refused{"data.path = \"x.jsonl\"\nrl.push_every = 2", "rl.push_every", "imported rollouts"},
        Refused{"data.path = \"x.jsonl\"\nrl.generator.cache = false", "rl.generator.cache",
                "imported rollouts"},
        Refused{"data.path = \"x.jsonl\"\nrl.largest_gap = -1", "rl.largest_gap = -1", "a distance"},
        Refused{"attention.backend = \"dense\"\narchitecture.attention_sinks = true",
                "architecture.attention_sinks", "the generator, whose fused kernel"},
        Refused{"rl.largest_gap = 1", "rl.largest_gap", "writes its own rollouts"},
        Refused{"model = \"deepseek_v3.debug\"", "model", "one kind of attention"},
        Refused{"model = \"llama4.debug_irope\"", "model", "one kind of attention"},
        Refused{"model = \"qwen3.debug_moe_8\"", "moe.load_balance", "biases of routers are none"},
        Refused{experts + "moe.capacity_factor = 1.5", "moe.capacity_factor",
                "other tokens than the trainer's"},
        Refused{experts + "moe.force_balance = true", "moe.force_balance", "other tokens than the trainer's"},
        Refused{experts + "moe.balance_loss = \"switch\"", "moe.balance_loss", "rows end with padding"},
        Refused{experts + "moe.z_loss_coeff = 0.1", "moe.z_loss_coeff", "rows end with padding"},
        Refused{experts + "moe.replay = \"x.h5\"", "moe.replay", "routes by itself"},
        Refused{"rl.overlong_buffer = 5", "rl.overlong_buffer = 5", "rl.max_new_tokens = 4"},
        Refused{"rl.loss = \"gspo\"\nrl.normalization = \"constant\"", "rl.normalization", "gspo is a mean"},
        Refused{"rl.loss = \"gspo\"\nrl.normalization = \"rank_mean\"", "rl.normalization", "no such mean"},
        Refused{"rl.loss = \"gspo\"\nparallel.cp = 2\nattention.backend = \"flex\"", "rl.loss",
                "part of each completion"},
        Refused{"rl.loss = \"gspo\"\ndtype = \"exact\"", "rl.loss", "no residue"},
        Refused{"rl.correction = \"truncate\"\nrl.loss = \"cispo\"", "rl.correction", "rl.loss is cispo"},
        Refused{"rl.correction_cap = 3", "rl.correction_cap", "without importance correction"},
        Refused{"rl.correction = \"truncate\"\nrl.correction_floor = 0.5", "rl.correction_floor",
                "other than mask"},
        Refused{"rl.correction = \"truncate\"\nrl.correction_cap = 0.5", "rl.correction_cap = 0.5",
                "equal policies are 1"},
        Refused{"rl.correction = \"mask\"\nrl.correction_level = \"sequence\"\nparallel.cp = 2\n"
                "attention.backend = \"flex\"",
                "rl.correction_level", "part of each completion"},
        Refused{"rl.group_sizes = [1, 0]", "rl.group_sizes = [1,0]", "from 1 to all 4 completions"},
        Refused{"rl.group_sizes = [3]", "rl.group_sizes = [3]",
                "end after 6 completions, and an update has 4"},
        Refused{"rl.group_sizes = [1, 1]", "rl.group_sizes", "every advantage is 0"},
        Refused{"rl.group_sizes = [1]\nrl.advantage = \"sample_std\"\nrl.deviation = \"update\"",
                "rl.group_sizes", "every advantage is 0"},
        Refused{"rl.group_sizes = [2]\nrl.group_size = 2", "rl.group_size = 2",
                "rl.group_sizes does not use"},
        Refused{"rl.deviation = \"update\"", "rl.deviation", "no deviation divides"},
        Refused{"rl.loss = \"gspo\"\nrl.normalization = \"prompt_mean\"", "rl.normalization",
                "gspo is a mean"},
        Refused{"rl.completions = 8", "rl.completions = 8", "one rollout a row"},
        Refused{"rl.packing = \"masked\"\nrl.completions = 6", "rl.group_size", "rl.completions = 6"},
        Refused{"rl.packing = \"masked\"", "rl.packing", "attend to those before it"},
        Refused{"rl.packing = \"masked\"\nattention.documents = [\"position_zero\"]", "attention.documents",
                "sdpa supports no document mask"},
        Refused{"rl.packing = \"leaking\"\nattention.documents = [\"position_zero\"]\n"
                "attention.backend = \"flex\"",
                "attention.documents", "not divided into rollouts"},
        Refused{"rl.packing = \"leaking\"\nrl.loss = \"gspo\"", "rl.packing", "takes a row for a completion"},
        Refused{"rl.packing = \"leaking\"\nrl.correction = \"mask\"\nrl.correction_level = \"sequence\"",
                "rl.packing", "takes a row for a completion"},
        Refused{"rl.packing = \"leaking\"\nrl.largest_gap = 1\ndata.path = \"x\"", "rl.largest_gap",
                "several rollouts"},
        Refused{"rl.dpo_beta = 0.5", "rl.dpo_beta", "other than dpo"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 4", "rl.group_size = 4", "two completions"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 2\nrl.dpo_beta = 0", "rl.dpo_beta", "no preference"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 2\nrl.reference = \"never\"", "rl.reference",
                "log ratios"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 2\nrl.unknown_logprobs = \"drop\"\ndata.path = \"x\"",
                "rl.unknown_logprobs", "dpo, whose rewards are log ratios"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 2\nrl.kl_coef = 0.1", "rl.kl_coef",
                "rewards are log ratios"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 2\ndata.micro_batches = 4", "rl.loss", "not whole pairs"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 2\nparallel.pp = 2\nparallel.pp_microbatches = 2",
                "rl.loss", "cut pairs apart"},
        Refused{"rl.loss = \"dpo\"\nrl.group_size = 2\ndtype = \"exact\"", "rl.loss", "residues"},
        Refused{"rl.staleness = 1", "rl.staleness", "synchronous loop"},
        Refused{"rl.loop = \"asynchronous\"\nrl.staleness = 65", "rl.staleness = 65", "out of range"},
        Refused{"rl.loop = \"asynchronous\"\nrl.push_every = 2", "rl.push_every", "pushes each version once"},
        Refused{"rl.bill = true\nparallel.dp_shard = 2", "rl.bill", "ranks hold shards"},
        Refused{"data.packing = \"stream\"", "data.packing", "trains on rollouts"},
        Refused{"loss.chunks = 2", "loss.chunks", "trains on rollouts"},
        Refused{"train.evaluate = true", "train.evaluate", "trains on rollouts"},
        Refused{"architecture.vocab_size = 11", "architecture.vocab_size = 11", "12 tokens"},
        Refused{"rl.group_size = 3", "rl.group_size = 3", "does not divide data.global_batch = 4"},
        Refused{"rl.group_size = 1", "rl.group_size = 1", "a group of one is its own mean"},
        Refused{"data.seq_len = 5", "data.seq_len = 5", "take 6"},
        Refused{"rl.max_new_tokens = 0", "rl.max_new_tokens = 0", "counts from 1"},
        Refused{"rl.temperature = -1", "rl.temperature = -1", "divides logits"},
        Refused{"rl.normalization = \"rank_mean\"", "rl.normalization", "grpo is a loss of tokens"},
        Refused{"rl.loss = \"grpo_sequence\"\nparallel.cp = 2\nattention.backend = \"flex\"", "rl.loss",
                "part of each completion"},
        Refused{"rl.clip_low = 2", "rl.clip_low = 2", "out of range"},
        Refused{"rl.loss = \"sft\"\nrl.clip_low = 0.1", "rl.clip_low", "does not clip"},
        Refused{"rl.dual_clip = 4", "rl.dual_clip = 4", "other than ppo"},
        Refused{"rl.loss = \"ppo\"\nrl.dual_clip = 1", "rl.dual_clip = 1", "bounds a ratio"},
        Refused{"rl.kl_coef = 0.1\nrl.reference = \"never\"", "rl.reference", "weighs the divergence"},
        Refused{"rl.loss = \"sft\"\nrl.kl_coef = 0.1", "rl.kl_coef", "without ratios"},
        Refused{"parallel.tp = 2\nparallel.loss_parallel = true\nrl.logprobs = \"log_softmax\"",
                "rl.logprobs", "sharded logits"},
        Refused{"rl.push_every = 0", "rl.push_every = 0", "counts from 1"},
        Refused{"rl.generator.tp = 2", "rl.generator.tp = 2", "the 1 ranks"},
        Refused{"attention.backend = \"tiled\"\ntrain.batch_invariant = true\nparallel.tp = 2",
                "rl.generator.tp = 1", "split differently"},
        Refused{"attention.backend = \"tiled\"\ntrain.batch_invariant = true\nparallel.dp_shard = 4\n"
                "parallel.tp_sum_pieces = 2\nrl.generator.tp = 4",
                "rl.generator.tp = 4", "as many of the 2 pieces"},
        Refused{"attention.backend = \"tiled\"\ntrain.batch_invariant = true\nparallel.tp = 2\n"
                "rl.generator.tp = 2\nparallel.loss_parallel = true",
                "parallel.loss_parallel = true", "softmax is over whole logits"},
        Refused{"rl.generator.ranks = -1", "rl.generator.ranks = -1", "counts from 0"},
        Refused{"rl.generator.ranks = 3\nrl.generator.tp = 2", "rl.generator.tp = 2", "3 ranks of its own"},
        Refused{"rl.generator.ranks = 1\nrl.bill = true", "rl.bill", "ranks hold shards"},
        Refused{"rl.generator.ranks = 1\ndevice = \"cuda\"", "rl.generator.ranks = 1", "on the CPU only"},
        Refused{"data.path = \"r.jsonl\"\nrl.generator.ranks = 1", "rl.generator.ranks = 1",
                "imported rollouts"},
        Refused{"data.path = \"r.jsonl\"\nrl.pull = \"stale\"", "rl.pull", "imported rollouts"},
        Refused{"rl.generator.max_sequences = 0", "rl.generator.max_sequences = 0", "counts from 1"}),
    rule_name);

TEST(RolloutKeysTest, KeysOfRolloutsMeanNothingToOtherRuns) {
  RunConfig config;
  read_toml(config, "rl.group_size = 2", "run.toml");
  EXPECT_THAT([&] { validate(config); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("does not train on rollouts")));
}

TEST(RolloutKeysTest, AGroupOfOneLearnsFromItsRewardWhereAskedTo) {
  RunConfig config;
  read_toml(config, std::string(policy) + "rl.group_size = 1\nrl.advantage = \"sample_std\"", "run.toml");
  EXPECT_NO_THROW(validate(config));
}

}  // namespace
}  // namespace parity::reference
