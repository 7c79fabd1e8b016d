// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"
#include "reference/config/precision_choices.hpp"
#include "reference/config/variant_choices.hpp"

// The closed sets of values that config keys take, each with the names that files use.

namespace parity::reference {

/// `exact` is float32 with residues beside the values.
enum class Precision { float32, float64, exact };
constexpr auto enum_names(Precision) {
  return named<Precision::exact>("dtype", {"float32", "float64", "exact"});
}

/// How an exact twin takes constants of the program: as the binary fractions that they are, as the shortest
/// decimals that round to them, or as fractions of small whole numbers that do.
enum class ExactConstants { binary, decimal, fraction };
constexpr auto enum_names(ExactConstants) {
  return named<ExactConstants::fraction>("form of constants", {"binary", "decimal", "fraction"});
}

enum class DeviceChoice { cpu, cuda };
constexpr auto enum_names(DeviceChoice) {
  return named<DeviceChoice::cuda>("device", {"cpu", "cuda"});
}

enum class RopeScalingChoice { model, llama, none, llama4, yarn };
constexpr auto enum_names(RopeScalingChoice) {
  return named<RopeScalingChoice::yarn>("RoPE scaling", {"model", "llama", "none", "llama4", "yarn"});
}

enum class RopeChoice { model, complex, rotate_half };
constexpr auto enum_names(RopeChoice) {
  return named<RopeChoice::rotate_half>("RoPE", {"model", "complex", "rotate_half"});
}

enum class RopeWeights { own, permuted };
constexpr auto enum_names(RopeWeights) {
  return named<RopeWeights::permuted>("order of the heads' rows", {"own", "permuted"});
}

enum class InitializationChoice { model, depth_scaled, normal, gpt2 };
constexpr auto enum_names(InitializationChoice) {
  return named<InitializationChoice::gpt2>("initialisation", {"model", "depth_scaled", "normal", "gpt2"});
}

enum class Switch { model, on, off };
constexpr auto enum_names(Switch) {
  return named<Switch::off>("switch", {"model", "on", "off"});
}

enum class RouterScoreChoice { model, softmax, sigmoid };
constexpr auto enum_names(RouterScoreChoice) {
  return named<RouterScoreChoice::sigmoid>("router score", {"model", "softmax", "sigmoid"});
}

enum class ScorePlaceChoice { model, after, before };
constexpr auto enum_names(ScorePlaceChoice) {
  return named<ScorePlaceChoice::before>("place of the router's scores", {"model", "after", "before"});
}

enum class ExpertMatmul { loop, grouped_bf16 };
constexpr auto enum_names(ExpertMatmul) {
  return named<ExpertMatmul::grouped_bf16>("matmul of the experts", {"loop", "grouped_bf16"});
}

/// The auxiliary loss that balances the load of experts: none; one term per set of tokens, or per sequence.
enum class BalanceLoss { none, tokens, sequence };
constexpr auto enum_names(BalanceLoss) {
  return named<BalanceLoss::sequence>("balance loss", {"none", "switch", "sequence"});
}

/// Over which tokens the balance loss counts the load of an expert.
enum class BalanceScope { micro_batch, global_batch };
constexpr auto enum_names(BalanceScope) {
  return named<BalanceScope::global_batch>("scope of the balance loss", {"micro_batch", "global_batch"});
}

/// Which tokens an expert at its capacity refuses: the last ones, or those with the lowest scores.
enum class DropRule { position, score };
constexpr auto enum_names(DropRule) {
  return named<DropRule::score>("rule of dropping", {"position", "score"});
}

enum class DataSource { synthetic, text, tokens, rollouts };
constexpr auto enum_names(DataSource) {
  return named<DataSource::rollouts>("data source", {"synthetic", "text", "tokens", "rollouts"});
}

/// How a token file is written: as its name says (.npy, .idx, .parquet, .jsonl, else TOML), or one of
/// the formats.
enum class TokenFormat { by_name, toml, npy, nanogpt, llmc, megatron, parquet, jsonl };
constexpr auto enum_names(TokenFormat) {
  return named<TokenFormat::jsonl>(
      "token format", {"by_name", "toml", "npy", "nanogpt", "llmc", "megatron", "parquet", "jsonl"});
}

enum class Packing { none, stream, concat_then_split, first_fit };
constexpr auto enum_names(Packing) {
  return named<Packing::first_fit>("packing", {"none", "stream", "concat_then_split", "first_fit"});
}

enum class PositionsChoice { sequence, document };
constexpr auto enum_names(PositionsChoice) {
  return named<PositionsChoice::document>("positions", {"sequence", "document"});
}

enum class DocumentBoundary { eos, position_difference, position_zero };
constexpr auto enum_names(DocumentBoundary) {
  return named<DocumentBoundary::position_zero>("document boundary",
                                                {"eos", "position_difference", "position_zero"});
}

enum class AttentionBackend { sdpa, flex, varlen, dense, tiled };
constexpr auto enum_names(AttentionBackend) {
  return named<AttentionBackend::tiled>("attention backend", {"sdpa", "flex", "varlen", "dense", "tiled"});
}

enum class FixedBlockForm { corrected, first_written, chunked };
constexpr auto enum_names(FixedBlockForm) {
  return named<FixedBlockForm::chunked>("form of the fixed blocks",
                                        {"corrected", "first_written", "chunked"});
}

enum class Normalization { global_tokens, microbatch_mean, gradient_scaling };
constexpr auto enum_names(Normalization) {
  return named<Normalization::gradient_scaling>("loss normalization",
                                                {"global_tokens", "microbatch_mean", "gradient_scaling"});
}

enum class Accumulation { prefetched, streamed };
constexpr auto enum_names(Accumulation) {
  return named<Accumulation::streamed>("accumulation", {"prefetched", "streamed"});
}

enum class UpdateCall { step, halves, halves_zeroing };
constexpr auto enum_names(UpdateCall) {
  return named<UpdateCall::halves_zeroing>("update call", {"step", "halves", "halves_zeroing"});
}

enum class ScheduleName {
  titan,
  warmup_linear,
  hugging_face_linear,
  hugging_face_cosine,
  verl_cosine,
  verl_constant,
  megatron,
  deepspeed,
};
constexpr auto enum_names(ScheduleName) {
  return named<ScheduleName::deepspeed>(
      "lr schedule", {"titan", "warmup_linear", "hugging_face_linear", "hugging_face_cosine", "verl_cosine",
                      "verl_constant", "megatron", "deepspeed"});
}

enum class DecayShape { linear, sqrt, cosine, constant, inverse_square_root, wsd };
constexpr auto enum_names(DecayShape) {
  return named<DecayShape::wsd>("decay shape",
                                {"linear", "sqrt", "cosine", "constant", "inverse_square_root", "wsd"});
}

enum class WsdDecay { linear, cosine, exponential, minus_sqrt };
constexpr auto enum_names(WsdDecay) {
  return named<WsdDecay::minus_sqrt>("WSD decay", {"linear", "cosine", "exponential", "minus_sqrt"});
}

enum class WarmupShape { linear, log };
constexpr auto enum_names(WarmupShape) {
  return named<WarmupShape::log>("warmup shape", {"linear", "log"});
}

enum class ReplicateWith { all_reduce, flat_all_reduce, hsdp };
constexpr auto enum_names(ReplicateWith) {
  return named<ReplicateWith::hsdp>("replication method", {"all_reduce", "flat_all_reduce", "hsdp"});
}

enum class ReshardAfterForward { all_but_last, always, never };
constexpr auto enum_names(ReshardAfterForward) {
  return named<ReshardAfterForward::never>("resharding after forward", {"all_but_last", "always", "never"});
}

enum class GradientReduction { sum, average };
constexpr auto enum_names(GradientReduction) {
  return named<GradientReduction::average>("gradient reduction", {"sum", "average"});
}

enum class GradientSync { last, each };
constexpr auto enum_names(GradientSync) {
  return named<GradientSync::each>("gradient synchronization", {"last", "each"});
}

enum class PipelineSchedule { gpipe, one_forward_one_backward, interleaved };
constexpr auto enum_names(PipelineSchedule) {
  return named<PipelineSchedule::interleaved>("pipeline schedule", {"gpipe", "1f1b", "interleaved"});
}

enum class PipelineMasks { split, own, held };
constexpr auto enum_names(PipelineMasks) {
  return named<PipelineMasks::held>("handling of masks in a pipeline", {"split", "own", "held"});
}

enum class ActivationCheckpointing { none, full, every };
constexpr auto enum_names(ActivationCheckpointing) {
  return named<ActivationCheckpointing::every>("activation checkpointing", {"none", "full", "every"});
}

enum class MixedPrecision { none, bf16 };
constexpr auto enum_names(MixedPrecision) {
  return named<MixedPrecision::bf16>("mixed precision", {"none", "bf16"});
}

/// One file of whole tensors, or a folder of shards that torch.distributed.checkpoint reads.
enum class CheckpointFormat { torch_save, dcp };
constexpr auto enum_names(CheckpointFormat) {
  return named<CheckpointFormat::dcp>("checkpoint format", {"torch_save", "dcp"});
}

enum class CheckpointPart { optimizer, optimizer_step, schedule, data, router_biases, generator };
constexpr auto enum_names(CheckpointPart) {
  return named<CheckpointPart::generator>(
      "checkpoint part", {"optimizer", "optimizer.step", "schedule", "data", "router_biases", "generator"});
}

enum class PolicyLossName { grpo, dapo, ppo, importance_sampling, grpo_sequence, sft, gspo, cispo, dpo };
constexpr auto enum_names(PolicyLossName) {
  return named<PolicyLossName::dpo>("policy loss", {"grpo", "dapo", "ppo", "importance_sampling",
                                                    "grpo_sequence", "sft", "gspo", "cispo", "dpo"});
}

enum class PolicyNormalization { global, times_dp, rank_mean, sequence_mean, constant, prompt_mean };
constexpr auto enum_names(PolicyNormalization) {
  return named<PolicyNormalization::prompt_mean>(
      "normalization of the policy loss",
      {"global", "times_dp", "rank_mean", "sequence_mean", "constant", "prompt_mean"});
}

enum class ImportanceCorrection { none, truncate, mask };
constexpr auto enum_names(ImportanceCorrection) {
  return named<ImportanceCorrection::mask>("importance correction", {"none", "truncate", "mask"});
}

enum class CorrectionLevel { token, sequence };
constexpr auto enum_names(CorrectionLevel) {
  return named<CorrectionLevel::sequence>("level of the importance correction", {"token", "sequence"});
}

enum class RolloutLoop { synchronous, asynchronous };
constexpr auto enum_names(RolloutLoop) {
  return named<RolloutLoop::asynchronous>("loop of rollouts and updates", {"synchronous", "asynchronous"});
}

enum class ReferencePolicy { when_weighted, always, never };
constexpr auto enum_names(ReferencePolicy) {
  return named<ReferencePolicy::never>("use of a reference policy", {"when_weighted", "always", "never"});
}

enum class AdvantageRule { mean, population_std, sample_std };
constexpr auto enum_names(AdvantageRule) {
  return named<AdvantageRule::sample_std>("advantage", {"mean", "population_std", "sample_std"});
}

/// Which rewards give the deviation that divides an advantage: those of its group, or of the whole update.
enum class DeviationScope { group, update };
constexpr auto enum_names(DeviationScope) {
  return named<DeviationScope::update>("rewards of the deviation", {"group", "update"});
}

/// Rollouts of a row: one; several, which do not attend to each other; or several that do, a planted defect.
enum class RolloutPacking { none, masked, leaking };
constexpr auto enum_names(RolloutPacking) {
  return named<RolloutPacking::leaking>("packing of rollouts", {"none", "masked", "leaking"});
}

enum class LogprobForm { cross_entropy, log_softmax };
constexpr auto enum_names(LogprobForm) {
  return named<LogprobForm::log_softmax>("form of log probabilities", {"cross_entropy", "log_softmax"});
}

enum class UnknownLogprobs { error, drop };
constexpr auto enum_names(UnknownLogprobs) {
  return named<UnknownLogprobs::drop>("use of tokens without a finite log probability", {"error", "drop"});
}

enum class PushMethod { direct, gathered };
constexpr auto enum_names(PushMethod) {
  return named<PushMethod::gathered>("push method", {"direct", "gathered"});
}

enum class PullRule { newest, stale };
constexpr auto enum_names(PullRule) {
  return named<PullRule::stale>("weights that a pull serves", {"newest", "stale"});
}

enum class GeneratorPrecision { trainer, bfloat16 };
constexpr auto enum_names(GeneratorPrecision) {
  return named<GeneratorPrecision::bfloat16>("dtype of the generator", {"trainer", "bfloat16"});
}

enum class Float8Scales { none, each_forward, after_update, first };
constexpr auto enum_names(Float8Scales) {
  return named<Float8Scales::first>("update of the float8 scales",
                                    {"none", "each_forward", "after_update", "first"});
}

}  // namespace parity::reference
