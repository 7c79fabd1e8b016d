// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Rules of QK-clip: where the logits are known, and a factor of rows is a factor of logits.
#include <cmath>
#include <string>
#include <tuple>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

/// Refuses what would scale a head's logits by another factor than its rows'.
void check_clipped_rows(const RunConfig& config, const Rules& rules) {
  const ModelDimensions d = dimensions_of(config);
  const auto refuse = [&](bool is_used, const std::string& why, const std::string& remedy) {
    rules.rule(!is_used, "optimizer.qk_clip", why, remedy + ", or set it to 0");
  };
  refuse(d.qk_norm, "norms of queries and keys undo a factor of their rows",
         "set architecture.qk_norm = \"off\"");
  refuse(d.biases != Biases::none, "biases of queries and keys keep their size",
         "set architecture.biases = \"none\"");
  refuse(d.fused_qkv, "it scales the rows of wq and wk", "set architecture.fused_qkv = false");
  refuse(d.delta.attention_every > d.n_layers, "no block attends",
         "set architecture.full_attention_every to architecture.n_layers or less");
  refuse(config.lora.rank > 0, "adapters add to the rows that it scales", "set lora.rank = 0");
  refuse(!config.train.freeze.empty(), "it would scale parameters that do not train",
         "leave train.freeze empty");
  refuse(config.optimizer.weights != WeightStorage::float32,
         "the optimizer keeps values or errors of the weights beside them",
         "set optimizer.weights = \"float32\"");
}

/// Refuses what would see some of an update's logits only, or none.
void check_seen_logits(const RunConfig& config, const Rules& rules) {
  const auto refuse = [&](bool is_used, const std::string& why, const std::string& remedy) {
    rules.rule(!is_used, "optimizer.qk_clip", why, remedy + ", or set it to 0");
  };
  const AttentionBackend backend = config.attention.backend;
  refuse(backend != AttentionBackend::sdpa && backend != AttentionBackend::dense,
         std::string(name_of(backend)) + " has no matrix of the pairs whose logits count",
         "set attention.backend = \"sdpa\" or \"dense\"");
  for (const auto& [ranks, name, why] :
       {std::tuple(config.parallel.tp, "parallel.tp = 1", "ranks of parallel.tp have some heads each"),
        std::tuple(config.parallel.cp, "parallel.cp = 1", "ranks of parallel.cp have some queries each")})
    refuse(ranks > 1, why, std::string("set ") + name);
  refuse(config.architecture.mtp_depth > 0, "it does not see the logits of multi-token prediction",
         "set architecture.mtp_depth = 0");
  refuse(config.train.autocast, "autocast would round the logits to 16 bits", "set train.autocast = false");
  refuse(config.data.source == DataSource::rollouts, "a policy's passes without loss have logits too",
         "choose another data.source");
  refuse(config.dtype == Precision::exact, "a largest logit has no residue", "choose another dtype");
}

}  // namespace

void check_qk_clip(const RunConfig& config, const Rules& rules) {
  const double tau = config.optimizer.qk_clip;
  rules.rule(tau >= 0 && std::isfinite(tau), "optimizer.qk_clip", "a bound of logits is positive and finite",
             "the usual value is 100, and 0 is none");
  rules.used_or_default(tau > 0, "optimizer.qk_clip_scope", "an optimizer without QK-clip",
                        "set optimizer.qk_clip");
  if (tau == 0)
    return;
  check_clipped_rows(config, rules);
  check_seen_logits(config, rules);
}

}  // namespace parity::reference
