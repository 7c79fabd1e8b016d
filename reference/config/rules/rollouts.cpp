// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "reference/config/channels.hpp"
#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

/// The tokens of the task: digits, "=" and the end of a completion.
constexpr int64_t task_tokens = 12;

/// Returns whether a file gives the rollouts, in place of the run's own generator.
bool imports(const RunConfig& config) {
  return !config.data.path.empty();
}

/// Experts of a policy. Its generator routes each token by the pushed gate alone, so what depends on the
/// trainer's batch, or is not a parameter, would make another policy of it.
void check_experts(const RunConfig& config, const Rules& rules) {
  rules.rule(imports(config) || dimensions_of(config).moe.load_balance == 0, "moe.load_balance",
             "a push brings parameters, and the biases of routers are none",
             "set moe.load_balance = \"off\"");
  for (const auto& [key, why] :
       {std::pair("moe.capacity_factor",
                  "a generator, whose passes have other tokens than the trainer's batch,"),
        {"moe.force_balance", "a generator, whose passes have other tokens than the trainer's batch,"},
        {"moe.balance_loss", "a policy, whose rows end with padding,"},
        {"moe.z_loss_coeff", "a policy, whose rows end with padding,"},
        {"moe.replay", "a policy, whose generator routes by itself,"}})
    rules.used_or_default(false, key, why, "choose another data.source");
}

/// Keys that decide how the tokens of another source are read and counted.
void check_data_of_rollouts(const RunConfig& config, const Rules& rules) {
  const std::string who = "a run that trains on rollouts";
  for (const char* key :
       {"data.packing", "data.positions", "data.eos_id", "data.newline_id", "data.ignore_fraction",
        "data.probe_row", "attention.sliding_window", "attention.fixed_block", "loss.normalization",
        "loss.accumulation", "loss.chunks", "train.evaluate", "train.autocast"})
    rules.used_or_default(false, key, who, "choose another data.source");
  const ModelDimensions model = dimensions_of(config);
  rules.rule(imports(config) || model.vocab_size >= task_tokens, "architecture.vocab_size",
             "the task uses " + std::to_string(task_tokens) + " tokens", "give as many or more");
  rules.rule(!model.is_latent() && model.nope_every == 0, "model",
             "the generator's cache holds keys and values of models with one kind of attention",
             "choose a Llama 3, a Qwen3, or a Llama 4 with RoPE in every block");
  check_experts(config, rules);
  if (!imports(config))
    for (const char* key : {"architecture.attention_sinks", "architecture.attention_softcap"})
      rules.used_or_default(false, key, "the generator, whose fused kernel computes softmax(q k^T) v alone",
                            "import rollouts (data.path), or choose another data.source");
}

void check_task(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const DataConfig& data = config.data;
  rules.at_least(rl.digits, 1, "rl.digits");
  rules.at_least(rl.max_new_tokens, 1, "rl.max_new_tokens");
  const int64_t longest = rl.digits + 1 + rl.max_new_tokens - 1;  // the last token is a label only
  rules.rule(imports(config) || longest <= data.seq_len, "data.seq_len",
             "a prompt of rl.digits and a completion of rl.max_new_tokens take " + std::to_string(longest),
             "lengthen it, or shorten those");
  rules.rule(rl.temperature >= 0, "rl.temperature", "it divides logits", "0 chooses the likeliest token");
  rules.rule(rl.overlong_buffer >= 0 && rl.overlong_buffer <= rl.max_new_tokens, "rl.overlong_buffer",
             "it is a part of rl.max_new_tokens = " + std::to_string(rl.max_new_tokens),
             "give 0 to " + std::to_string(rl.max_new_tokens));
}

/// How the terms of a loss are summed and divided.
void check_normalization(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const bool by_sequence = rl.loss == PolicyLossName::grpo_sequence || rl.loss == PolicyLossName::gspo ||
                           rl.loss == PolicyLossName::dpo;
  const std::string loss(name_of(rl.loss));
  rules.rule(rl.normalization != PolicyNormalization::rank_mean || rl.loss == PolicyLossName::grpo_sequence,
             "rl.normalization", by_sequence ? loss + " has no such mean" : loss + " is a loss of tokens",
             "set rl.loss = \"grpo_sequence\"");
  rules.rule(!by_sequence || (rl.normalization != PolicyNormalization::sequence_mean &&
                              rl.normalization != PolicyNormalization::prompt_mean &&
                              rl.normalization != PolicyNormalization::constant),
             "rl.normalization", loss + " is a mean over completions already",
             "set it to \"global\", or choose a loss of tokens");
  rules.rule(!by_sequence || config.parallel.cp == 1, "rl.loss",
             "a rank of parallel.cp has a part of each completion, and cannot take its mean",
             "set parallel.cp = 1 or choose a loss of tokens");
  rules.rule(rl.loss != PolicyLossName::gspo || config.dtype != Precision::exact, "rl.loss",
             "gspo takes a root of a product of probabilities, which has no residue",
             "compare float64 twins");
}

/// A preferred and another completion of each prompt, in successive rows.
void check_preferences(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const bool is_dpo = rl.loss == PolicyLossName::dpo;
  rules.used_or_default(is_dpo, "rl.dpo_beta", "a loss other than dpo", "set rl.loss = \"dpo\"");
  if (!is_dpo)
    return;
  rules.rule(rl.dpo_beta > 0, "rl.dpo_beta", "without weight no preference has a gradient", "0.1 is usual");
  rules.rule(rl.group_size == 2, "rl.group_size", "dpo compares two completions of each prompt", "give 2");
  rules.rule(rl.reference != ReferencePolicy::never, "rl.reference", "dpo's log ratios are to the reference",
             "keep it");
  for (const char* key : {"rl.advantage", "rl.kl_coef", "rl.correction", "rl.unknown_logprobs"})
    rules.used_or_default(false, key, "dpo, whose rewards are log ratios,", "choose another rl.loss");
  rules.rule(config.parallel.pp == 1, "rl.loss", "a pipeline would cut pairs apart",
             "set parallel.pp = 1 or choose another loss");
  const int64_t rows = config.data.global_batch / config.data.micro_batches / config.parallel.batch_ranks();
  rules.rule(rows % 2 == 0, "rl.loss",
             "each rank has " + std::to_string(rows) + " rows in a micro-batch, which are not whole pairs",
             "choose an even number by data.global_batch or data.micro_batches");
  rules.rule(config.dtype != Precision::exact, "rl.loss", "log_sigmoid has no residues",
             "compare float64 twins");
}

/// Weights of the mismatch between trainer and generator.
void check_correction(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const bool corrects = rl.correction != ImportanceCorrection::none;
  const bool has_ratios = rl.loss == PolicyLossName::grpo || rl.loss == PolicyLossName::dapo ||
                          rl.loss == PolicyLossName::ppo || rl.loss == PolicyLossName::importance_sampling;
  rules.rule(!corrects || has_ratios, "rl.correction",
             "it weighs losses of tokens with ratios, and rl.loss is " + std::string(name_of(rl.loss)),
             "choose grpo, dapo, ppo or importance_sampling");
  for (const char* key : {"rl.correction_level", "rl.correction_cap"})
    rules.used_or_default(corrects, key, "a run without importance correction", "set rl.correction");
  rules.used_or_default(rl.correction == ImportanceCorrection::mask, "rl.correction_floor",
                        "a correction other than mask", "set rl.correction = \"mask\"");
  rules.rule(rl.correction_cap >= 1, "rl.correction_cap", "weights of equal policies are 1",
             "2 is usual for truncate");
  rules.within(rl.correction_floor, 0, 1, "rl.correction_floor");
  rules.rule(rl.correction_level == CorrectionLevel::token || config.parallel.cp == 1, "rl.correction_level",
             "a rank of parallel.cp has a part of each completion, and cannot take its product",
             "set parallel.cp = 1 or \"token\"");
}

void check_policy_loss(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const bool is_sft = rl.loss == PolicyLossName::sft;
  const bool clips =
      !is_sft && rl.loss != PolicyLossName::importance_sampling && rl.loss != PolicyLossName::dpo;
  check_normalization(config, rules);
  check_preferences(config, rules);
  check_correction(config, rules);
  rules.within(rl.clip_low, 0, 1, "rl.clip_low");
  rules.rule(rl.clip_high >= 0, "rl.clip_high", "it is added to 1", "0 selects the loss's own");
  for (const char* key : {"rl.clip_low", "rl.clip_high"})
    rules.used_or_default(clips, key, "a loss that does not clip", "choose another rl.loss");
  rules.rule(rl.dual_clip > 1, "rl.dual_clip", "it bounds a ratio that is about 1", "the usual value is 3");
  rules.used_or_default(rl.loss == PolicyLossName::ppo, "rl.dual_clip", "a loss other than ppo",
                        "set rl.loss = \"ppo\"");
  rules.rule(rl.kl_coef >= 0, "rl.kl_coef", "a negative weight rewards divergence", "give 0 or more");
  for (const char* key : {"rl.kl_coef", "rl.reference"})
    rules.used_or_default(!is_sft, key, "a loss without ratios", "choose another rl.loss");
  rules.rule(rl.kl_coef == 0 || rl.reference != ReferencePolicy::never, "rl.reference",
             "rl.kl_coef weighs the divergence from a reference", "keep it, or set rl.kl_coef = 0");
  rules.used_or_default(!config.parallel.loss_parallel, "rl.logprobs", "a loss of sharded logits",
                        "set parallel.loss_parallel = false");
}

/// Which version of the policy writes the rollouts.
void check_loop(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const bool is_asynchronous = rl.loop == RolloutLoop::asynchronous;
  rules.within(static_cast<double>(rl.staleness), 0, 64, "rl.staleness");
  rules.used_or_default(is_asynchronous, "rl.staleness", "a synchronous loop",
                        "set rl.loop = \"asynchronous\"");
  rules.rule(!is_asynchronous || rl.push_every == 1, "rl.push_every",
             "an asynchronous loop pushes each version once", "set it to 1, or rl.loop = \"synchronous\"");
}

void check_bill(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  rules.rule(!rl.bill || config.ranks() == 1, "rl.bill",
             "the generator's weights take the place of the trainer's part by part, and ranks hold shards",
             "bill a run of one process");
  rules.rule(!rl.bill || config.dtype != Precision::exact, "rl.bill", "an exact twin has no values to bill",
             "set it to false");
  rules.rule(!rl.bill || dimensions_of(config).n_layers <= most_billed_layers, "rl.bill",
             "it names at most " + std::to_string(most_billed_layers) + " layers", "set it to false");
}

/// Keys of the generator, which a run of imported rollouts does not use.
void check_import(const RunConfig& config, const Rules& rules) {
  rules.used_or_default(imports(config), "rl.largest_gap", "a run that writes its own rollouts",
                        "name a file of rollouts by data.path");
  rules.rule(config.rl.largest_gap >= 0, "rl.largest_gap", "it is a distance", "0 allows any");
  if (!imports(config))
    return;
  for (const Key& key : keys())
    if (key.name.starts_with("rl.generator."))
      rules.used_or_default(false, key.name, "a run of imported rollouts", "remove data.path");
  for (const char* key : {"rl.digits", "rl.temperature", "rl.overlong_buffer", "rl.push", "rl.push_every",
                          "rl.push_omits", "rl.pull", "rl.loop", "rl.bill"})
    rules.used_or_default(false, key, "a run of imported rollouts", "remove data.path");
}

/// Ranks that only generate.
void check_generator_ranks(const RunConfig& config, const Rules& rules) {
  const int64_t own = config.rl.generator.ranks;
  const std::string key = "rl.generator.ranks";
  rules.at_least(own, 0, key);
  if (own <= 0)
    return;
  rules.rule(config.device == DeviceChoice::cpu, key, "weights move between processes on the CPU only",
             "set device = \"cpu\", or let the trainer's ranks generate (0)");
}

void check_generator(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  rules.rule(rl.controller_lr >= 0, "rl.controller_lr", "a rate is not negative",
             "0 selects the trainer's schedule");
  rules.at_least(rl.push_every, 1, "rl.push_every");
  rules.at_least(rl.max_lag, 0, "rl.max_lag");
  check_loop(config, rules);
  check_bill(config, rules);
  check_generator_ranks(config, rules);
  const int64_t tp = rl.generator.tp;
  const int64_t ranks = rl.generator.ranks > 0 ? rl.generator.ranks : config.parallel.ranks();
  rules.at_least(tp, 1, "rl.generator.tp");
  rules.rule(ranks % tp == 0, "rl.generator.tp",
             "the generator runs on " + (rl.generator.ranks > 0
                                             ? std::to_string(ranks) + " ranks of its own"
                                             : "the " + std::to_string(ranks) + " ranks of the trainer"),
             "choose a divisor");
  const ModelDimensions d = dimensions_of(config);
  rules.rule(d.n_heads % tp == 0 && d.n_kv_heads % tp == 0, "rl.generator.tp",
             std::to_string(d.n_heads) + " query heads and " + std::to_string(d.n_kv_heads) +
                 " key heads do not divide into equal parts",
             "choose a divisor of both");
  if (config.train.batch_invariant) {
    const int64_t pieces = config.parallel.tp_sum_pieces;
    rules.rule(tp == config.parallel.tp || pieces > 0, "rl.generator.tp",
               "train.batch_invariant promises the trainer's bits, and over parallel.tp = " +
                   std::to_string(config.parallel.tp) + " ranks sums are split differently",
               "set it to " + std::to_string(config.parallel.tp) + ", or set parallel.tp_sum_pieces");
    rules.rule(
        pieces % tp == 0, "rl.generator.tp",
        "each rank adds as many of the " + std::to_string(pieces) + " pieces of parallel.tp_sum_pieces",
        "choose a divisor");
    rules.rule(
        !config.parallel.loss_parallel, "parallel.loss_parallel",
        "train.batch_invariant promises the generator the trainer's bits, and its softmax is over whole "
        "logits",
        "set it to false");
  }
  rules.at_least(rl.generator.max_sequences, 1, "rl.generator.max_sequences");
  rules.at_least(rl.generator.max_tokens, 1, "rl.generator.max_tokens");
}

}  // namespace

void check_rollouts(const RunConfig& config, const Rules& rules) {
  if (config.data.source != DataSource::rollouts) {
    for (const Key& key : keys())
      if (key.name.starts_with("rl."))
        rules.used_or_default(false, key.name, "a run that does not train on rollouts",
                              "set data.source = \"rollouts\"");
    return;
  }
  check_data_of_rollouts(config, rules);
  check_task(config, rules);
  check_groups(config, rules);
  check_packing(config, rules);
  check_policy_loss(config, rules);
  check_generator(config, rules);
  check_import(config, rules);
}

}  // namespace parity::reference
