// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Rules of the parts that some families of models have, of adapters and of frozen parameters: which of them
// work together, and with which backends and layouts.
#include <set>
#include <string>
#include <tuple>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

/// Refuses what changes attention's scores where no backend computes them one by one.
void check_scores(const RunConfig& config, const Rules& rules) {
  const ArchitectureConfig& a = config.architecture;
  rules.within(a.attention_softcap, 0, 1e6, "architecture.attention_softcap");
  rules.within(a.logit_softcap, 0, 1e6, "architecture.logit_softcap");
  const AttentionBackend backend = config.attention.backend;
  const bool scores = backend == AttentionBackend::flex || backend == AttentionBackend::dense;
  const std::string why =
      std::string(name_of(backend)) + " calls a fused kernel, which computes softmax(q k^T) v alone";
  const std::string remedy = "set attention.backend = \"flex\" or \"dense\"";
  rules.rule(a.attention_softcap == 0 || scores, "architecture.attention_softcap", why, remedy);
  rules.rule(!a.attention_sinks || scores, "architecture.attention_sinks", why, remedy);
}

void check_attention_parts(const RunConfig& config, const Rules& rules) {
  const ModelDimensions d = dimensions_of(config);
  if (d.is_latent()) {
    for (const char* key : {"architecture.attention_sinks", "architecture.attention_gate",
                            "architecture.attention_softcap", "architecture.biases"})
      rules.used_or_default(false, key, "a model with latent attention", "choose a model with wq, wk and wv");
    rules.used_or_default(false, "lora.rank", "a model with latent attention",
                          "choose a model with wq, wk and wv");
  }
  rules.rule(!d.fused_qkv || d.biases == Biases::none, "architecture.fused_qkv",
             "biases belong to wq, wk and wv", "set it false or architecture.biases = \"none\"");
  rules.rule(d.moe.experts == 0 || d.biases != Biases::all, "architecture.biases", "experts have no biases",
             "set architecture.biases = \"attention\"");
  rules.rule(d.moe.experts == 0 || d.feed_forward == FeedForwardKind::swiglu, "architecture.feed_forward",
             "experts are SwiGLU layers", "set it to \"swiglu\"");
}

void check_positions(const RunConfig& config, const Rules& rules) {
  const ModelDimensions d = dimensions_of(config);
  if (!d.learned_positions)
    return;
  rules.rule(!config.parallel.sequence_parallel, "parallel.sequence_parallel",
             "learned positions are added to whole sequences", "set it false");
  rules.rule(!d.is_latent(), "architecture.positions", "latent attention rotates a part of its heads",
             "set it to \"rope\"");
  for (const char* key : {"architecture.rope", "architecture.rope_weights", "architecture.rope_theta",
                          "architecture.nope_every"})
    rules.used_or_default(false, key, "a model with learned positions",
                          "set architecture.positions = \"rope\"");
}

void check_invariant_parts(const RunConfig& config, const Rules& rules) {
  const ModelDimensions d = dimensions_of(config);
  const bool has_all =
      d.norm == NormKind::rms && d.feed_forward == FeedForwardKind::swiglu && d.biases == Biases::none;
  rules.rule(!config.train.batch_invariant || has_all, "train.batch_invariant",
             "biases, LayerNorm and GELU have no kernels of a fixed order",
             "choose RMSNorm, SwiGLU and no biases");
  rules.rule(!config.train.batch_invariant || config.architecture.attention_gate == AttentionGate::none,
             "train.batch_invariant", "the gate's sigmoid rounds the last elements of an array otherwise",
             "set architecture.attention_gate = \"none\"");
  rules.rule(!config.train.batch_invariant || config.architecture.logit_softcap == 0, "train.batch_invariant",
             "the cap's tanh rounds the last elements of an array otherwise",
             "set architecture.logit_softcap = 0");
}

void check_multi_token(const RunConfig& config, const Rules& rules) {
  const int64_t depth = config.architecture.mtp_depth;
  const std::string key = "architecture.mtp_depth";
  rules.at_least(depth, 0, key);
  rules.within(config.loss.mtp_coef, 0, 1e6, "loss.mtp_coef");
  for (const char* used : {"loss.mtp_coef", "loss.mtp_labels"})
    rules.used_or_default(depth > 0, used, "a model without multi-token prediction",
                          "set architecture.mtp_depth");
  if (depth == 0)
    return;
  rules.rule(depth < config.data.seq_len, key, "no label lies that far behind a token of a sequence",
             "give less than data.seq_len");
  rules.rule(dimensions_of(config).moe.experts == 0, key,
             "the loads of experts are counted in the model's own blocks only",
             "choose a model without experts");
  rules.rule(!dimensions_of(config).learned_positions, key, "its blocks take their positions from RoPE",
             "set architecture.positions = \"rope\"");
  const ParallelConfig& parallel = config.parallel;
  for (const auto& [ranks, name, why] :
       {std::tuple(parallel.tp, "parallel.tp", "its modules are not cut into parts of matrices"),
        std::tuple(parallel.cp, "parallel.cp", "the next tokens of a part of a sequence are on other ranks"),
        std::tuple(parallel.pp, "parallel.pp",
                   "the last stage has its modules, and the first one the embedding that they use")})
    rules.rule(ranks == 1, name, "with architecture.mtp_depth, " + std::string(why), "set it to 1");
  rules.rule(config.loss.chunks == 0, "loss.chunks",
             "it differentiates hidden states before the modules of architecture.mtp_depth have used them",
             "set it to 0");
  rules.rule(config.data.source != DataSource::rollouts, key, "a policy's loss has no further tokens",
             "set it to 0");
}

/// Adapters, and parameters that do not train.
void check_frozen(const RunConfig& config, const Rules& rules) {
  const LoraConfig& lora = config.lora;
  rules.at_least(lora.rank, 0, "lora.rank");
  rules.within(lora.alpha, 0, 1e6, "lora.alpha");
  for (const char* key : {"lora.alpha", "lora.scale", "lora.targets", "lora.form"})
    rules.used_or_default(lora.rank > 0, key, "a model without adapters", "set lora.rank");
  std::set<LoraTarget> seen;
  for (const LoraTarget target : lora.targets)
    rules.rule(seen.insert(target).second, "lora.targets", "a layer is named twice", "name each once");
  if (lora.rank == 0 && config.train.freeze.empty())
    return;
  const std::string key = lora.rank > 0 ? "lora.rank" : "train.freeze";
  const auto refuse = [&](bool is_used, const std::string& why, const std::string& remedy) {
    rules.rule(!is_used, key, why, remedy);
  };
  refuse(config.parallel.pp > 1, "a stage of a pipeline may have no parameter that trains",
         "set parallel.pp = 1");
  refuse(config.parallel.ep > 1, "experts on other ranks always train", "set parallel.ep = 1");
  refuse(config.data.source == DataSource::rollouts, "a policy pushes and trains all its weights",
         "choose another data.source");
  refuse(config.parallel.activation_checkpointing != ActivationCheckpointing::none,
         "a block whose input needs no gradient is not computed again",
         "set parallel.activation_checkpointing = \"none\"");
  refuse(config.train.float8 != Float8Scales::none, "the scales of float8 follow weights that train",
         "set train.float8 = \"none\"");
}

void check_adapters(const RunConfig& config, const Rules& rules) {
  if (config.lora.rank == 0)
    return;
  const ModelDimensions d = dimensions_of(config);
  rules.rule(!d.fused_qkv, "lora.rank", "wq and wv are rows of one matrix",
             "set architecture.fused_qkv = false");
  rules.rule(d.moe.experts == 0, "lora.rank", "experts have no adapters", "choose a model without experts");
  rules.rule(!d.lora.adapts(LoraTarget::w3) || d.feed_forward == FeedForwardKind::swiglu, "lora.targets",
             "a GELU layer has no w3", "leave it out");
  rules.rule(config.lora.rank <= d.dim, "lora.rank",
             "the matrices have rank " + std::to_string(d.dim) + " at most", "give less");
}

}  // namespace

void check_variants(const RunConfig& config, const Rules& rules) {
  check_scores(config, rules);
  check_attention_parts(config, rules);
  check_positions(config, rules);
  check_invariant_parts(config, rules);
  check_multi_token(config, rules);
  check_frozen(config, rules);
  check_adapters(config, rules);
  rules.within(config.loss.z_coef, 0, 1e6, "loss.z_coef");
  rules.used_or_default(config.data.source != DataSource::rollouts, "loss.z_coef", "a policy's loss",
                        "choose another data.source");
  rules.rule(config.loss.z_coef == 0 || config.dtype != Precision::exact, "loss.z_coef",
             "the square of a logarithm has no residue", "set it to 0 or choose another dtype");
}

}  // namespace parity::reference
