// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"

namespace parity::reference {

enum class Precision { float32, float64 };
enum class DeviceChoice { cpu, cuda };
enum class RopeScalingChoice { model, llama, none };
enum class DataSource { synthetic, text, tokens };
enum class Packing { none, stream, concat_then_split, first_fit };
enum class PositionsChoice { sequence, document };
enum class DocumentBoundary { eos, position_difference, position_zero };
enum class AttentionBackend { sdpa, flex, varlen, dense };
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

/// Departures from the named model's dimensions; 0 keeps the model's own.
struct ArchitectureConfig {
  int64_t dim = 0;
  int64_t n_layers = 0;
  int64_t n_heads = 0;
  int64_t n_kv_heads = 0;
  int64_t vocab_size = 0;
  int64_t ffn_hidden = 0;
  int64_t max_seq_len = 0;
  double rope_theta = 0;
  double norm_eps = 0;
  RopeScalingChoice rope_scaling = RopeScalingChoice::model;
};

struct DataConfig {
  DataSource source = DataSource::synthetic;
  std::string path;  ///< of the text or token file
  Packing packing = Packing::none;
  PositionsChoice positions = PositionsChoice::sequence;
  int64_t context_length = 0;   ///< positions of a document start over after so many; 0 = seq_len
  int64_t document_tokens = 0;  ///< mean length of a synthetic document
  int64_t eos_id = -1;          ///< ends a document; -1 = the source's own, or none
  int64_t newline_id = -1;      ///< follows each EOS; -1 = none
  int64_t seq_len = 256;
  int64_t global_batch = 4;   ///< sequences an update
  int64_t micro_batches = 1;  ///< forward and backward passes an update
  int64_t seed = 1;
  double ignore_fraction = 0;  ///< mean share of labels that do not count
};

struct AttentionConfig {
  AttentionBackend backend = AttentionBackend::sdpa;
  std::vector<DocumentBoundary> documents;  ///< at most one; empty = causal over the whole sequence
};

struct LossConfig {
  Normalization normalization = Normalization::global_tokens;
  Accumulation accumulation = Accumulation::prefetched;
  int64_t chunks = 0;  ///< of tokens through the output projection; 0 = all at once
};

struct OptimizerConfig {
  OptimizerName name = OptimizerName::adamw;
  OptimizerImplementation implementation = OptimizerImplementation::fused;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;
  WeightDecayRamp weight_decay_ramp = WeightDecayRamp::constant;
  double weight_decay_start = 0;  ///< of a ramp; it ends at weight_decay
  double momentum = 0;
};

struct LrConfig {
  double base = 8e-4;
  ScheduleName schedule = ScheduleName::titan;
  int64_t warmup_steps = 2;
  int64_t total_steps = 0;  ///< length of the curve; 0 = RunConfig::steps
  double decay_ratio = -1;  ///< share of total_steps that decays; negative = all after warmup
  DecayShape decay = DecayShape::linear;
  double min_factor = 0;   ///< lowest rate of the decay, as a share of base
  double init_factor = 0;  ///< rate that warmup starts from, as a share of base
  double num_cycles = 0.5;
  int64_t wsd_steps = 0;  ///< length of the decay of DecayShape::wsd
  WsdDecay wsd_decay = WsdDecay::linear;
  WarmupShape warmup = WarmupShape::linear;
  int64_t first_index = 1;
};

/// How many ranks lie along each dimension of the mesh.
struct ParallelConfig {
  int64_t dp_replicate = 1;  ///< copies of the model, each with its own rows of an update
  int64_t dp_shard = 1;      ///< parts of a copy's parameters; each rank has its own rows here too
  int64_t tp = 1;            ///< parts of each matrix, multiplied on different ranks for the same rows
  int64_t cp = 1;            ///< parts of each sequence, on ranks with the same rows and the same parameters
  bool sequence_parallel = false;
  bool loss_parallel = false;
  ReplicateWith replicate_with = ReplicateWith::all_reduce;
  ReshardAfterForward reshard_after_forward = ReshardAfterForward::all_but_last;
  GradientReduction gradient_reduction = GradientReduction::sum;
  GradientSync sync = GradientSync::last;
  ActivationCheckpointing activation_checkpointing = ActivationCheckpointing::none;
  int64_t activation_checkpointing_every = 2;             ///< k, of every k-th block
  MixedPrecision mixed_precision = MixedPrecision::none;  ///< of FSDP units
  int64_t pp = 1;                                         ///< ranks that hold consecutive blocks each
  PipelineSchedule pp_schedule = PipelineSchedule::one_forward_one_backward;
  int64_t pp_microbatches = 1;  ///< that a micro-batch is cut into on its way through the stages
  int64_t pp_stages = 1;        ///< of each rank
  PipelineMasks pp_masks = PipelineMasks::split;

  int64_t ranks() const { return pp * dp_replicate * dp_shard * cp * tp; }
  /// Takes back what means something only to a dimension that this mesh has not.
  void drop_unused() {
    const ParallelConfig defaults;
    if (tp == 1) {
      sequence_parallel = defaults.sequence_parallel;
      loss_parallel = defaults.loss_parallel;
    }
    if (dp_shard == 1)
      reshard_after_forward = defaults.reshard_after_forward;
    if (pp == 1) {
      pp_schedule = defaults.pp_schedule;
      pp_microbatches = defaults.pp_microbatches;
      pp_stages = defaults.pp_stages;
      pp_masks = defaults.pp_masks;
    }
  }
  /// Whether parameters are kept in units that gather and cast them: FSDP, HSDP, replicate as HSDP.
  bool has_units() const { return dp_shard > 1 || replicate_with == ReplicateWith::hsdp; }
  /// Ranks with different rows of an update.
  int64_t batch_ranks() const { return dp_replicate * dp_shard; }

  bool operator==(const ParallelConfig&) const = default;
};

struct CheckpointConfig {
  int64_t restart_after = 0;
  int64_t resume_dp_replicate = 0;  ///< layout of the process that goes on; 0 = parallel's
  int64_t resume_dp_shard = 0;
  int64_t resume_tp = 0;
  int64_t resume_cp = 0;
  int64_t resume_pp = 0;
  std::vector<CheckpointPart> exclude_from_loading;
};

/// Everything that decides what a run computes. Plain data; keys.hpp has the names, validate.hpp the rules.
struct RunConfig {
  std::string model = "llama3.debug";
  ArchitectureConfig architecture;
  int64_t steps = 10;
  int64_t seed = 42;
  Precision dtype = Precision::float32;
  DeviceChoice device = DeviceChoice::cpu;
  DataConfig data;
  AttentionConfig attention;
  LossConfig loss;
  OptimizerConfig optimizer;
  struct {
    double max_norm = 1.0;
  } clip;
  LrConfig lr;
  struct {
    UpdateCall update = UpdateCall::step;
    bool evaluate = false;
    bool autocast = false;
  } train;
  ParallelConfig parallel;
  CheckpointConfig checkpoint;
  int64_t threads = 1;

  /// The layout of the process that goes on from a checkpoint.
  ParallelConfig resumed_parallel() const {
    ParallelConfig resumed = parallel;
    const auto set = [](int64_t& size, int64_t resumed_size) {
      size = resumed_size > 0 ? resumed_size : size;
    };
    set(resumed.dp_replicate, checkpoint.resume_dp_replicate);
    set(resumed.dp_shard, checkpoint.resume_dp_shard);
    set(resumed.tp, checkpoint.resume_tp);
    set(resumed.cp, checkpoint.resume_cp);
    set(resumed.pp, checkpoint.resume_pp);
    if (resumed != parallel)
      resumed.drop_unused();
    return resumed;
  }
};

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
  static constexpr std::array<std::string_view, 3> names = {"model", "llama", "none"};
};
template <>
struct EnumNames<reference::DataSource> {
  static constexpr std::string_view what = "data source";
  static constexpr std::array<std::string_view, 3> names = {"synthetic", "text", "tokens"};
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
  static constexpr std::array<std::string_view, 4> names = {"sdpa", "flex", "varlen", "dense"};
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
              static_cast<size_t>(reference::AttentionBackend::dense) + 1);
static_assert(EnumNames<reference::ScheduleName>::names.size() ==
              static_cast<size_t>(reference::ScheduleName::deepspeed) + 1);
static_assert(EnumNames<reference::DecayShape>::names.size() ==
              static_cast<size_t>(reference::DecayShape::wsd) + 1);

}  // namespace parity
