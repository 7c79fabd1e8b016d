// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/rl/policy_trainer.hpp"
#include "tests/reference/rl/rollouts.hpp"
#include "tests/support/ranks.hpp"

// A policy's update in every layout is that of one process, in float64.

namespace parity::reference {
namespace {

struct LayoutCase {
  const char* name;
  std::function<void(RunConfig&)> change;
};

const std::vector<LayoutCase>& layouts() {
  static const std::vector<LayoutCase> table = {
      {"replicate", [](RunConfig& c) { c.parallel.dp_replicate = 2; }},
      {"fsdp", [](RunConfig& c) { c.parallel.dp_shard = 2; }},
      {"fsdp_kept",
       [](RunConfig& c) {
         c.parallel.dp_shard = 2;
         c.parallel.reshard_after_forward = ReshardAfterForward::never;
       }},
      {"times_dp",
       [](RunConfig& c) {
         c.parallel.dp_shard = 2;
         c.parallel.gradient_reduction = GradientReduction::average;
         c.rl.normalization = PolicyNormalization::times_dp;
       }},
      {"recomputed",
       [](RunConfig& c) {
         c.parallel.dp_shard = 2;
         c.parallel.activation_checkpointing = ActivationCheckpointing::full;
       }},
      {"tensor", [](RunConfig& c) { c.parallel.tp = 2; }},
      {"loss_parallel",
       [](RunConfig& c) {
         c.parallel.tp = 2;
         c.parallel.loss_parallel = true;
       }},
      {"sequence_parallel",
       [](RunConfig& c) {
         c.parallel.tp = 2;
         c.parallel.sequence_parallel = true;
       }},
      {"context",
       [](RunConfig& c) {
         c.parallel.cp = 2;
         c.attention.backend = AttentionBackend::flex;
       }},
      {"pipeline",
       [](RunConfig& c) {
         c.parallel.pp = 2;
         c.parallel.pp_microbatches = 4;
       }},
      {"hsdp_x_tensor",
       [](RunConfig& c) {
         c.parallel.dp_replicate = 1;
         c.parallel.dp_shard = 2;
         c.parallel.tp = 2;
         c.parallel.loss_parallel = true;
       }},
  };
  return table;
}

RunConfig reference_config(const RlConfig& rl) {
  RunConfig config = policy_config(Precision::float64);
  config.data.micro_batches = 2;
  config.rl = rl;
  return config;
}

RlConfig with_loss(PolicyLossName loss) {
  RlConfig rl;
  rl.loss = loss;
  rl.kl_coef = loss == PolicyLossName::sft ? 0 : 0.5;
  return rl;
}

Json numbers_of(const StepResult& result) {
  const PolicyMetrics& m = result.policy->metrics;
  return {{"loss", result.loss},
          {"grad_norm", result.grad_norm},
          {"update_norm", result.update_norm},
          {"ratio_mean", m.ratio_mean},
          {"ratio_clipped", m.ratio_clipped},
          {"diff_mean", m.logprob_diff_mean},
          {"diff_max", m.logprob_diff_max},
          {"entropy", m.entropy},
          {"kl", m.kl.value_or(0)},
          {"correction_mean", m.correction_mean.value_or(0)},
          {"correction_cut", m.correction_cut.value_or(0)},
          {"advantage_mean", m.advantage_mean},
          {"advantage_std", m.advantage_std}};
}

/// Three updates; numbers of the last.
Json trained(const RunConfig& config, std::shared_ptr<Group> world) {
  Trainer trainer(config, std::move(world));
  PolicyTrainer policy(trainer);
  const Group& rows = *trainer.parallel().batch;
  update_of(trainer, policy, {rows.rank(), rows.size()});
  update_of(trainer, policy, {rows.rank(), rows.size()});
  return numbers_of(update_of(trainer, policy, {rows.rank(), rows.size()}));
}

void require_near(const Json& actual, const Json& expected) {
  for (const auto& [name, value] : expected.items()) {
    const auto a = actual[name].get<double>(), e = value.get<double>();
    if (!(std::abs(a - e) <= 1e-12 * std::max(1.0, std::abs(e))))
      throw std::runtime_error(fmt::format("{}: {:.17g}, one process has {:.17g}", name, a, e));
  }
}

class PolicyLayoutsTest : public RanksTest {
 protected:
  using Change = std::function<RunConfig(RunConfig)>;

  /// \param also  changes the ranks' config, not that of one process
  void expect_as_one_process(
      const LayoutCase& layout, const RlConfig& rl, const Change& also = [](RunConfig c) { return c; }) {
    SCOPED_TRACE(std::string(layout.name) + ", " + std::string(name_of(rl.loss)) + ", " +
                 std::string(name_of(rl.normalization)));
    const RunConfig one = model_(reference_config(rl));
    RunConfig config = also(one);
    layout.change(config);
    const std::filesystem::path file = folder / "one.json";
    for (const std::string& complaint :
         run_ranks(1, [&](Group& world) { write_file(file, trained(one, held(world)).dump()); }))
      ASSERT_EQ(complaint, "");
    const Json expected = Json::parse(read_file(file));
    for (const std::string& complaint : run_ranks(config.parallel.ranks(), [&](Group& world) {
           require_near(trained(config, held(world)), expected);
         }))
      EXPECT_EQ(complaint, "");
  }

  /// Chooses the model of both sides.
  Change model_ = [](RunConfig c) { return c; };

  /// Expects a config of a loss of tokens to train otherwise than one process.
  void expect_seen(const RunConfig& config) {
    const std::filesystem::path file = folder / "one.json";
    run_ranks(1, [&](Group& world) {
      write_file(file, trained(reference_config(with_loss(PolicyLossName::grpo)), held(world)).dump());
    });
    const Json expected = Json::parse(read_file(file));
    for (const std::string& complaint : run_ranks(config.parallel.ranks(), [&](Group& world) {
           require_near(trained(config, held(world)), expected);
         }))
      EXPECT_NE(complaint.find("one process has"), std::string::npos) << complaint;
  }
};

TEST_F(PolicyLayoutsTest, ClippedTokensMatchReferenceInEveryLayout) {
  for (const LayoutCase& layout : layouts())
    expect_as_one_process(layout, with_loss(PolicyLossName::grpo));
}

TEST_F(PolicyLayoutsTest, Completions_WholeInLayout_MatchReference) {
  for (const LayoutCase& layout : layouts())
    if (std::string_view(layout.name) != "context")
      expect_as_one_process(layout, with_loss(PolicyLossName::grpo_sequence));
}

/// A layout may hold a part of a completion, but its length and its corrections are those of the whole.
TEST_F(PolicyLayoutsTest, CorrectedMeansOfCompletions_MatchReference) {
  RlConfig rl = with_loss(PolicyLossName::importance_sampling);
  rl.normalization = PolicyNormalization::sequence_mean;
  rl.correction = ImportanceCorrection::mask;
  rl.correction_cap = 1.5;
  rl.correction_floor = 0.5;
  for (const LayoutCase& layout : layouts())
    if (std::string_view(layout.name) != "times_dp")  // another normalization
      expect_as_one_process(layout, rl);
}

TEST_F(PolicyLayoutsTest, RatiosOfCompletions_MatchReference) {
  for (const LayoutCase& layout : layouts())
    for (const char* name : {"fsdp", "loss_parallel", "pipeline"})
      if (std::string_view(layout.name) == name)
        expect_as_one_process(layout, with_loss(PolicyLossName::gspo));
}

TEST_F(PolicyLayoutsTest, Experts_InEveryLayout_MatchReference) {
  model_ = [](RunConfig config) {
    config.model = "qwen3.debug_moe_8";
    config.moe.hidden = 8;
    config.moe.load_balance = Switch::off;
    return config;
  };
  std::vector<LayoutCase> all = layouts();
  all.push_back({"experts_apart", [](RunConfig& c) { c.parallel.dp_shard = c.parallel.ep = 2; }});
  for (const LayoutCase& layout : all)
    expect_as_one_process(layout, with_loss(PolicyLossName::grpo));
}

RunConfig packed(RunConfig config) {
  config.data.seq_len = 24;
  config.rl.completions = config.data.global_batch;  // in as many rows, of which the last are empty
  config.rl.packing = RolloutPacking::masked;
  config.attention.backend = AttentionBackend::flex;
  config.attention.documents = {DocumentBoundary::position_zero};
  return config;
}

TEST_F(PolicyLayoutsTest, PackedRollouts_InEveryLayout_MatchPadded) {
  for (const PolicyNormalization mean :
       {PolicyNormalization::global, PolicyNormalization::sequence_mean, PolicyNormalization::prompt_mean})
    for (const LayoutCase& layout : layouts())
      if (std::string_view(layout.name) != "times_dp") {  // another normalization
        RlConfig rl = with_loss(PolicyLossName::grpo);
        rl.normalization = mean;
        expect_as_one_process(layout, rl, packed);
      }
}

TEST_F(PolicyLayoutsTest, RolloutsThatAttendToEachOther_AreSeen) {
  RunConfig config = packed(reference_config(with_loss(PolicyLossName::grpo)));
  config.rl.packing = RolloutPacking::leaking;
  config.attention.documents = {};
  expect_seen(config);
}

TEST_F(PolicyLayoutsTest, AFactorThatIsLeftOutIsSeen) {
  RunConfig config = reference_config(with_loss(PolicyLossName::grpo));
  config.parallel.dp_shard = 2;
  config.parallel.gradient_reduction = GradientReduction::average;
  expect_seen(config);
}

}  // namespace
}  // namespace parity::reference
