// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "harness/base/enum_names.hpp"

namespace parity::reference {

enum class Precision { float32, float64 };
enum class DeviceChoice { cpu, cuda };
enum class RopeScalingChoice { model, llama, none, llama4, yarn };
enum class RopeChoice { model, complex, rotate_half };
enum class RopeWeights { own, permuted };
enum class InitializationChoice { model, depth_scaled, normal };
enum class Switch { model, on, off };
enum class RouterScoreChoice { model, softmax, sigmoid };
enum class ScorePlaceChoice { model, after, before };
enum class ExpertMatmul { loop, grouped_bf16 };
enum class DataSource { synthetic, text, tokens, rollouts };
enum class Packing { none, stream, concat_then_split, first_fit };
enum class PositionsChoice { sequence, document };
enum class DocumentBoundary { eos, position_difference, position_zero };
enum class AttentionBackend { sdpa, flex, varlen, dense, tiled };
enum class FixedBlockForm { corrected, first_written, chunked };
enum class Normalization { global_tokens, microbatch_mean, gradient_scaling };
enum class Accumulation { prefetched, streamed };
enum class UpdateCall { step, halves, halves_zeroing };
enum class OptimizerName { adamw, sgd };
enum class OptimizerImplementation { fused, plain };
enum class WeightDecayRamp { constant, linear, cosine };
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
enum class DecayShape { linear, sqrt, cosine, constant, inverse_square_root, wsd };
enum class WsdDecay { linear, cosine, exponential, minus_sqrt };
enum class WarmupShape { linear, log };
enum class ReplicateWith { all_reduce, flat_all_reduce, hsdp };
enum class ReshardAfterForward { all_but_last, always, never };
enum class GradientReduction { sum, average };
enum class GradientSync { last, each };
enum class PipelineSchedule { gpipe, one_forward_one_backward, interleaved };
enum class PipelineMasks { split, own, held };
enum class ActivationCheckpointing { none, full, every };
enum class MixedPrecision { none, bf16 };
enum class CheckpointPart { optimizer, optimizer_step, schedule, data };
enum class PolicyLossName { grpo, dapo, ppo, importance_sampling, grpo_sequence, sft };
enum class PolicyNormalization { global, times_dp, rank_mean };
enum class ReferencePolicy { when_weighted, always, never };
enum class AdvantageRule { mean, population_std, sample_std };
enum class LogprobForm { cross_entropy, log_softmax };
enum class UnknownLogprobs { error, drop };
enum class PushMethod { direct, gathered };
enum class GeneratorPrecision { trainer, bfloat16 };
enum class Float8Scales { none, each_forward, after_update, first };

}  // namespace parity::reference

namespace parity {

template <>
struct EnumNames<reference::Precision> {
  static constexpr std::string_view what = "dtype";
  static constexpr std::array<std::string_view, 2> names = {"float32", "float64"};
};
template <>
struct EnumNames<reference::DeviceChoice> {
  static constexpr std::string_view what = "device";
  static constexpr std::array<std::string_view, 2> names = {"cpu", "cuda"};
};
template <>
struct EnumNames<reference::RopeScalingChoice> {
  static constexpr std::string_view what = "RoPE scaling";
  static constexpr std::array<std::string_view, 5> names = {"model", "llama", "none", "llama4", "yarn"};
};
template <>
struct EnumNames<reference::RopeChoice> {
  static constexpr std::string_view what = "RoPE";
  static constexpr std::array<std::string_view, 3> names = {"model", "complex", "rotate_half"};
};
template <>
struct EnumNames<reference::RopeWeights> {
  static constexpr std::string_view what = "order of the heads' rows";
  static constexpr std::array<std::string_view, 2> names = {"own", "permuted"};
};
template <>
struct EnumNames<reference::InitializationChoice> {
  static constexpr std::string_view what = "initialisation";
  static constexpr std::array<std::string_view, 3> names = {"model", "depth_scaled", "normal"};
};
template <>
struct EnumNames<reference::Switch> {
  static constexpr std::string_view what = "switch";
  static constexpr std::array<std::string_view, 3> names = {"model", "on", "off"};
};
template <>
struct EnumNames<reference::RouterScoreChoice> {
  static constexpr std::string_view what = "router score";
  static constexpr std::array<std::string_view, 3> names = {"model", "softmax", "sigmoid"};
};
template <>
struct EnumNames<reference::ScorePlaceChoice> {
  static constexpr std::string_view what = "place of the router's scores";
  static constexpr std::array<std::string_view, 3> names = {"model", "after", "before"};
};
template <>
struct EnumNames<reference::ExpertMatmul> {
  static constexpr std::string_view what = "matmul of the experts";
  static constexpr std::array<std::string_view, 2> names = {"loop", "grouped_bf16"};
};
template <>
struct EnumNames<reference::DataSource> {
  static constexpr std::string_view what = "data source";
  static constexpr std::array<std::string_view, 4> names = {"synthetic", "text", "tokens", "rollouts"};
};
template <>
struct EnumNames<reference::Packing> {
  static constexpr std::string_view what = "packing";
  static constexpr std::array<std::string_view, 4> names = {"none", "stream", "concat_then_split",
                                                            "first_fit"};
};
template <>
struct EnumNames<reference::PositionsChoice> {
  static constexpr std::string_view what = "positions";
  static constexpr std::array<std::string_view, 2> names = {"sequence", "document"};
};
template <>
struct EnumNames<reference::DocumentBoundary> {
  static constexpr std::string_view what = "document boundary";
  static constexpr std::array<std::string_view, 3> names = {"eos", "position_difference", "position_zero"};
};
template <>
struct EnumNames<reference::AttentionBackend> {
  static constexpr std::string_view what = "attention backend";
  static constexpr std::array<std::string_view, 5> names = {"sdpa", "flex", "varlen", "dense", "tiled"};
};
template <>
struct EnumNames<reference::FixedBlockForm> {
  static constexpr std::string_view what = "form of the fixed blocks";
  static constexpr std::array<std::string_view, 3> names = {"corrected", "first_written", "chunked"};
};
template <>
struct EnumNames<reference::Normalization> {
  static constexpr std::string_view what = "loss normalization";
  static constexpr std::array<std::string_view, 3> names = {"global_tokens", "microbatch_mean",
                                                            "gradient_scaling"};
};
template <>
struct EnumNames<reference::Accumulation> {
  static constexpr std::string_view what = "accumulation";
  static constexpr std::array<std::string_view, 2> names = {"prefetched", "streamed"};
};
template <>
struct EnumNames<reference::UpdateCall> {
  static constexpr std::string_view what = "way of an update";
  static constexpr std::array<std::string_view, 3> names = {"step", "halves", "halves_zeroing"};
};
template <>
struct EnumNames<reference::OptimizerName> {
  static constexpr std::string_view what = "optimizer";
  static constexpr std::array<std::string_view, 2> names = {"adamw", "sgd"};
};
template <>
struct EnumNames<reference::OptimizerImplementation> {
  static constexpr std::string_view what = "optimizer implementation";
  static constexpr std::array<std::string_view, 2> names = {"fused", "plain"};
};
template <>
struct EnumNames<reference::WeightDecayRamp> {
  static constexpr std::string_view what = "weight decay ramp";
  static constexpr std::array<std::string_view, 3> names = {"constant", "linear", "cosine"};
};
template <>
struct EnumNames<reference::ScheduleName> {
  static constexpr std::string_view what = "lr schedule";
  static constexpr std::array<std::string_view, 8> names = {"titan",
                                                            "warmup_linear",
                                                            "hugging_face_linear",
                                                            "hugging_face_cosine",
                                                            "verl_cosine",
                                                            "verl_constant",
                                                            "megatron",
                                                            "deepspeed"};
};
template <>
struct EnumNames<reference::DecayShape> {
  static constexpr std::string_view what = "decay shape";
  static constexpr std::array<std::string_view, 6> names = {
      "linear", "sqrt", "cosine", "constant", "inverse_square_root", "wsd"};
};
template <>
struct EnumNames<reference::WsdDecay> {
  static constexpr std::string_view what = "WSD decay";
  static constexpr std::array<std::string_view, 4> names = {"linear", "cosine", "exponential", "minus_sqrt"};
};
template <>
struct EnumNames<reference::WarmupShape> {
  static constexpr std::string_view what = "warmup shape";
  static constexpr std::array<std::string_view, 2> names = {"linear", "log"};
};
template <>
struct EnumNames<reference::ReplicateWith> {
  static constexpr std::string_view what = "way to replicate";
  static constexpr std::array<std::string_view, 3> names = {"all_reduce", "flat_all_reduce", "hsdp"};
};
template <>
struct EnumNames<reference::ReshardAfterForward> {
  static constexpr std::string_view what = "resharding after forward";
  static constexpr std::array<std::string_view, 3> names = {"all_but_last", "always", "never"};
};
template <>
struct EnumNames<reference::GradientReduction> {
  static constexpr std::string_view what = "gradient reduction";
  static constexpr std::array<std::string_view, 2> names = {"sum", "average"};
};
template <>
struct EnumNames<reference::GradientSync> {
  static constexpr std::string_view what = "gradient synchronisation";
  static constexpr std::array<std::string_view, 2> names = {"last", "each"};
};
template <>
struct EnumNames<reference::PipelineSchedule> {
  static constexpr std::string_view what = "pipeline schedule";
  static constexpr std::array<std::string_view, 3> names = {"gpipe", "1f1b", "interleaved"};
};
template <>
struct EnumNames<reference::PipelineMasks> {
  static constexpr std::string_view what = "way of masks through a pipeline";
  static constexpr std::array<std::string_view, 3> names = {"split", "own", "held"};
};
template <>
struct EnumNames<reference::ActivationCheckpointing> {
  static constexpr std::string_view what = "activation checkpointing";
  static constexpr std::array<std::string_view, 3> names = {"none", "full", "every"};
};
template <>
struct EnumNames<reference::MixedPrecision> {
  static constexpr std::string_view what = "mixed precision";
  static constexpr std::array<std::string_view, 2> names = {"none", "bf16"};
};
template <>
struct EnumNames<reference::CheckpointPart> {
  static constexpr std::string_view what = "checkpoint part";
  static constexpr std::array<std::string_view, 4> names = {"optimizer", "optimizer.step", "schedule",
                                                            "data"};
};
static_assert(EnumNames<reference::Normalization>::names.size() ==
              static_cast<size_t>(reference::Normalization::gradient_scaling) + 1);
static_assert(EnumNames<reference::UpdateCall>::names.size() ==
              static_cast<size_t>(reference::UpdateCall::halves_zeroing) + 1);
static_assert(EnumNames<reference::CheckpointPart>::names.size() ==
              static_cast<size_t>(reference::CheckpointPart::data) + 1);
static_assert(EnumNames<reference::Packing>::names.size() ==
              static_cast<size_t>(reference::Packing::first_fit) + 1);
static_assert(EnumNames<reference::DocumentBoundary>::names.size() ==
              static_cast<size_t>(reference::DocumentBoundary::position_zero) + 1);
static_assert(EnumNames<reference::AttentionBackend>::names.size() ==
              static_cast<size_t>(reference::AttentionBackend::tiled) + 1);
static_assert(EnumNames<reference::ScheduleName>::names.size() ==
              static_cast<size_t>(reference::ScheduleName::deepspeed) + 1);
static_assert(EnumNames<reference::DecayShape>::names.size() ==
              static_cast<size_t>(reference::DecayShape::wsd) + 1);
template <>
struct EnumNames<reference::PolicyLossName> {
  static constexpr std::string_view what = "policy loss";
  static constexpr std::array<std::string_view, 6> names = {
      "grpo", "dapo", "ppo", "importance_sampling", "grpo_sequence", "sft"};
};
template <>
struct EnumNames<reference::PolicyNormalization> {
  static constexpr std::string_view what = "normalization of the policy loss";
  static constexpr std::array<std::string_view, 3> names = {"global", "times_dp", "rank_mean"};
};
template <>
struct EnumNames<reference::ReferencePolicy> {
  static constexpr std::string_view what = "use of a reference policy";
  static constexpr std::array<std::string_view, 3> names = {"when_weighted", "always", "never"};
};
template <>
struct EnumNames<reference::AdvantageRule> {
  static constexpr std::string_view what = "advantage";
  static constexpr std::array<std::string_view, 3> names = {"mean", "population_std", "sample_std"};
};
template <>
struct EnumNames<reference::LogprobForm> {
  static constexpr std::string_view what = "form of log probabilities";
  static constexpr std::array<std::string_view, 2> names = {"cross_entropy", "log_softmax"};
};
template <>
struct EnumNames<reference::UnknownLogprobs> {
  static constexpr std::string_view what = "use of tokens without a finite log probability";
  static constexpr std::array<std::string_view, 2> names = {"error", "drop"};
};
template <>
struct EnumNames<reference::PushMethod> {
  static constexpr std::string_view what = "way of a push";
  static constexpr std::array<std::string_view, 2> names = {"direct", "gathered"};
};
template <>
struct EnumNames<reference::GeneratorPrecision> {
  static constexpr std::string_view what = "type of the generator";
  static constexpr std::array<std::string_view, 2> names = {"trainer", "bfloat16"};
};
template <>
struct EnumNames<reference::Float8Scales> {
  static constexpr std::string_view what = "time of the float8 scales";
  static constexpr std::array<std::string_view, 4> names = {"none", "each_forward", "after_update", "first"};
};

}  // namespace parity
