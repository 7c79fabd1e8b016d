// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <string>

#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

using enum OptimizerName;

void check_optimizer_ranges(const RunConfig& config, const Rules& rules) {
  const OptimizerConfig& o = config.optimizer;
  rules.rule(o.beta1 >= 0 && o.beta1 < 1, "optimizer.beta1", "a decay is at least 0 and less than 1",
             "the usual value is 0.9");
  rules.rule(o.beta2 >= 0 && o.beta2 < 1, "optimizer.beta2", "a decay is at least 0 and less than 1",
             "the usual value is 0.95");
  rules.rule(o.eps >= 0, "optimizer.eps", "it is added to a square root", "the usual value is 1e-8");
  rules.rule(o.weight_decay >= 0, "optimizer.weight_decay", "a negative decay grows the weights",
             "give 0 or more");
  rules.within(o.momentum, 0, 1, "optimizer.momentum");
  rules.rule(config.clip.max_norm >= 0, "clip.max_norm", "a norm is not negative", "0 switches clipping off");
}

/// Which optimizer uses what.
void check_uses_of_optimizers(const RunConfig& config, const Rules& rules) {
  const OptimizerConfig& o = config.optimizer;
  const std::string name(name_of(o.name));
  rules.rule(o.momentum == 0 || o.name == sgd, "optimizer.momentum",
             o.name == muon ? "Muon has a momentum of its own, optimizer.muon.momentum"
                            : "only SGD has a momentum; AdamW's is optimizer.beta1",
             "set optimizer.name = \"sgd\" or leave it 0");
  rules.rule((o.name != lion && o.name != adafactor) || o.implementation == OptimizerImplementation::plain,
             "optimizer.implementation",
             std::string(o.name == lion ? "Lion" : "Adafactor") + " is computed one tensor after another",
             "set optimizer.implementation = \"plain\"");
  for (const char* key : {"lr", "momentum", "nesterov", "coefficients", "a", "b", "c", "ns_steps", "eps",
                          "ns_dtype", "adjust_lr", "split_qkv", "sharding"})
    rules.used_or_default(o.name == muon, std::string("optimizer.muon.") + key, name,
                          "set optimizer.name = \"muon\"");
  for (const char* key :
       {"beta2_decay", "eps1", "eps1_place", "eps2", "d", "relative_step", "scale_parameter"})
    rules.used_or_default(o.name == adafactor, std::string("optimizer.adafactor.") + key, name,
                          "set optimizer.name = \"adafactor\"");
}

void check_adafactor(const RunConfig& config, const Rules& rules) {
  const AdafactorConfig& a = config.optimizer.adafactor;
  const auto finite = [&](double value, bool in_range, const char* key, const char* why, const char* remedy) {
    rules.rule(in_range && std::isfinite(value), std::string("optimizer.adafactor.") + key, why, remedy);
  };
  finite(a.beta2_decay, a.beta2_decay <= 0, "beta2_decay", "1 - beta2 = t^beta2_decay is at most 1",
         "give 0 or less; the usual value is -0.8");
  finite(a.eps1, a.eps1 >= 0, "eps1", "a square is not negative", "give 0 or more");
  finite(a.eps2, a.eps2 >= 0, "eps2", "a root mean square is not negative", "the usual value is 1e-3");
  finite(a.d, a.d >= 1, "d", "torch.optim.Adafactor takes 1 or more", "the usual value is 1");
  rules.rule(config.dtype != Precision::exact, "optimizer.name",
             "Adafactor reads norms out of tensors, which leaves them without residues",
             "choose another dtype");
}

void check_newton_schulz(const MuonConfig& m, const Rules& rules) {
  const bool fixed = m.coefficients == MuonCoefficients::fixed;
  const std::string table = std::string(name_of(m.coefficients)) + " has coefficients of its own, and";
  for (const char* key : {"optimizer.muon.a", "optimizer.muon.b", "optimizer.muon.c"})
    rules.used_or_default(fixed, key, table, "set optimizer.muon.coefficients = \"fixed\"");
  for (const auto& [value, key] : {std::pair(m.a, "optimizer.muon.a"), std::pair(m.b, "optimizer.muon.b"),
                                   std::pair(m.c, "optimizer.muon.c")})
    rules.rule(std::isfinite(value), key, "a coefficient is finite",
               "Keller Jordan's are 3.4445, -4.775, 2.0315");
  rules.at_least(m.ns_steps, 1, "optimizer.muon.ns_steps");
  const int64_t most = fixed ? 99 : m.coefficients == MuonCoefficients::quintic ? 5 : 8;
  rules.rule(m.ns_steps <= most, "optimizer.muon.ns_steps",
             fixed ? "torch.optim.Muon takes fewer than 100"
                   : std::string(name_of(m.coefficients)) + " has coefficients for " + std::to_string(most),
             "give " + std::to_string(most) + " or fewer");
  rules.rule(m.eps > 0 && std::isfinite(m.eps), "optimizer.muon.eps",
             "a matrix of zeros would be divided by it", "the usual value is 1e-7");
}

/// Returns whether ranks hold shards of matrices.
bool shards_matrices(const ParallelConfig& parallel) {
  return parallel.dp_shard > 1 || parallel.tp > 1 || (parallel.cp > 1 && parallel.has_units());
}

/// Returns whether a rank has every row of what it has of a matrix, or whole key heads.
bool keeps_heads(const ParallelConfig& parallel) {
  return parallel.dp_shard == 1 && (parallel.cp == 1 || !parallel.has_units());
}

/// How Muon meets fused weights and shards, also in the process that resumes.
void check_matrices(const RunConfig& config, const Rules& rules) {
  const MuonConfig& m = config.optimizer.muon;
  const ParallelConfig& parallel = config.parallel;
  const ParallelConfig resumed = config.resumed_parallel();
  rules.rule(!m.split_qkv || config.architecture.fused_qkv, "optimizer.muon.split_qkv",
             "q, k and v are matrices of their own already",
             "set architecture.fused_qkv = true, or leave it false");
  rules.used_or_default(shards_matrices(parallel) || shards_matrices(resumed), "optimizer.muon.sharding",
                        "a model whose matrices are whole on each rank",
                        "set parallel.dp_shard or parallel.tp");
  const bool by_blocks = m.sharding == MuonSharding::blockwise;
  rules.rule(!by_blocks || !m.split_qkv || (keeps_heads(parallel) && keeps_heads(resumed)),
             "optimizer.muon.split_qkv", "blocks of rows that FSDP cuts may end within a head",
             "set optimizer.muon.sharding = \"gathered\"");
}

void check_muon(const RunConfig& config, const Rules& rules) {
  const MuonConfig& m = config.optimizer.muon;
  rules.rule(m.lr >= 0 && std::isfinite(m.lr), "optimizer.muon.lr",
             "a learning rate is finite and not negative", "give 0 for lr.base");
  rules.rule(m.lr == 0 || config.rl.controller_lr == 0, "optimizer.muon.lr",
             "rl.controller_lr gives one rate to every parameter", "leave either of them 0");
  rules.rule(m.momentum >= 0 && m.momentum < 1, "optimizer.muon.momentum",
             "a decay is at least 0 and less than 1", "the usual value is 0.95");
  check_newton_schulz(m, rules);
  check_matrices(config, rules);
}

}  // namespace

void check_optimizer(const RunConfig& config, const Rules& rules) {
  check_optimizer_ranges(config, rules);
  check_uses_of_optimizers(config, rules);
  if (config.optimizer.name == muon)
    check_muon(config, rules);
  if (config.optimizer.name == adafactor)
    check_adafactor(config, rules);
}

}  // namespace parity::reference
