// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/config/choices.hpp"
#include "reference/config/optimizer_config.hpp"

namespace parity::reference {

/// Departures from the named model's dimensions; 0 keeps the model's own.
struct ArchitectureConfig {
  int64_t dim = 0;
  int64_t n_layers = 0;
  int64_t n_heads = 0;
  int64_t n_kv_heads = 0;
  int64_t head_dim = 0;
  int64_t vocab_size = 0;
  int64_t ffn_hidden = 0;
  int64_t max_seq_len = 0;
  double rope_theta = 0;
  double norm_eps = 0;
  RopeScalingChoice rope_scaling = RopeScalingChoice::model;
  RopeChoice rope = RopeChoice::model;
  RopeWeights rope_weights = RopeWeights::own;
  Switch qk_norm = Switch::model;
  Switch tied_embeddings = Switch::model;
  InitializationChoice initialization = InitializationChoice::model;
  int64_t nope_every = 0;  ///< blocks 0, k, 2 k, ... have no RoPE and attend without the local rules
  bool fused_qkv = false;  ///< q, k and v in one matrix
  int64_t q_lora_rank = 0;
  int64_t kv_lora_rank = 0;
  int64_t qk_nope_head_dim = 0;
  int64_t qk_rope_head_dim = 0;
  int64_t v_head_dim = 0;
  double attention_softcap = 0;  ///< c of c tanh(score / c); 0 = none
  double logit_softcap = 0;      ///< the same for logits
  EmbeddingScale embedding_scale = EmbeddingScale::none;
  bool attention_sinks = false;  ///< a learned logit for each head in the softmax's denominator
  AttentionGate attention_gate = AttentionGate::none;
  BiasChoice biases = BiasChoice::model;
  PositionEmbedding positions = PositionEmbedding::model;
  NormChoice norm = NormChoice::model;
  FeedForwardChoice feed_forward = FeedForwardChoice::model;
  int64_t mtp_depth = 0;  ///< tokens that multi-token prediction predicts beyond the next one
  int64_t full_attention_every =
      0;  ///< blocks k - 1, 2 k - 1, ... attend, others are delta nets; 0 = all attend
  DeltaForm delta_form = DeltaForm::chunked;
  int64_t delta_chunk = 64;  ///< tokens
};

/// Low-rank adapters of linear layers. Everything else is frozen.
struct LoraConfig {
  int64_t rank = 0;  ///< 0 = no adapters
  double alpha = 16;
  LoraScale scale = LoraScale::rank;
  std::vector<LoraTarget> targets;  ///< empty = wq and wv
  LoraForm form = LoraForm::unmerged;
};

/// How the linear layers of the blocks multiply. Their operands are quantised, and the product is float32.
struct LinearConfig {
  LinearRecipe recipe = LinearRecipe::none;
  LinearGradients gradients = LinearGradients::recipe;
  LinearScales scales = LinearScales::recipe;
  ShardScales tp_scales = ShardScales::whole;
};

/// Departures from the named model's mixture of experts; 0 keeps the model's own.
struct MoeConfig {
  int64_t experts = 0;
  int64_t top_k = 0;
  int64_t hidden = 0;
  int64_t shared_hidden = 0;
  int64_t every = 0;
  RouterScoreChoice score = RouterScoreChoice::model;
  ScorePlaceChoice score_place = ScorePlaceChoice::model;
  Switch route_norm = Switch::model;
  double route_scale = 0;
  int64_t groups = 0;
  int64_t limited_groups = 0;
  Switch load_balance = Switch::model;
  double load_balance_coeff = 1e-3;
  bool force_balance = false;
  ExpertMatmul matmul = ExpertMatmul::loop;
  BalanceLoss balance_loss = BalanceLoss::none;
  double balance_loss_coeff = 1e-2;
  BalanceScope balance_loss_scope = BalanceScope::micro_batch;
  double z_loss_coeff = 0;
  double capacity_factor = 0;  ///< 0 = no token is dropped
  DropRule drop = DropRule::position;
  std::string replay = {};  ///< trace whose routes replace the router's choice; empty = none
};

struct DataConfig {
  DataSource source = DataSource::synthetic;
  std::string path;  ///< of the text or token file
  TokenFormat format = TokenFormat::by_name;
  std::string column;                   ///< of a Parquet file; empty = "tokens", or "text" of a text
  std::vector<std::string> paths = {};  ///< of several files, whose rows are blended; instead of path
  std::vector<double> weights = {};     ///< share of each file's rows, up to a factor
  bool shuffle = false;                 ///< another order of documents or sequences in each epoch
  Packing packing = Packing::none;
  PositionsChoice positions = PositionsChoice::sequence;
  int64_t context_length = 0;   ///< tokens after which a document's positions restart; 0 = seq_len
  int64_t document_tokens = 0;  ///< mean length of a synthetic document
  int64_t eos_id = -1;          ///< ends a document; -1 = the source's own, or none
  int64_t newline_id = -1;      ///< follows each EOS; -1 = none
  int64_t seq_len = 256;
  int64_t global_batch = 4;   ///< sequences an update
  int64_t micro_batches = 1;  ///< forward and backward passes an update
  int64_t seed = 1;
  double ignore_fraction = 0;  ///< mean share of labels that do not count
  int64_t probe_row = -1;      ///< sequence of which one token is changed, to see what it reaches; -1 = none
  int64_t probe_position = 0;
};

/// Settings of data.source = rollouts: a policy that learns from the completions of its own generator.
struct RlConfig {
  int64_t digits = 2;                ///< in a prompt of the task, whose sum is the answer
  int64_t group_size = 4;            ///< completions of each prompt, which are compared with each other
  std::vector<int64_t> group_sizes;  ///< of successive prompts of an update, in turn; empty = group_size
  int64_t completions = 0;           ///< of an update, if rows are packed; 0 = data.global_batch
  RolloutPacking packing = RolloutPacking::none;
  int64_t max_new_tokens = 4;  ///< of a completion
  double temperature = 1;      ///< of sampling; 0 = the likeliest token
  AdvantageRule advantage = AdvantageRule::mean;
  DeviationScope deviation = DeviationScope::group;
  PolicyLossName loss = PolicyLossName::grpo;
  PolicyNormalization normalization = PolicyNormalization::global;
  double clip_low = 0;   ///< 0 = the loss's own
  double clip_high = 0;  ///< 0 = the loss's own
  double dual_clip = 3;  ///< of ppo: bound of the ratio where the advantage is negative
  double kl_coef = 0;
  double dpo_beta = 0.1;        ///< of dpo: weight of the log ratios to the reference
  int64_t overlong_buffer = 0;  ///< last tokens of max_new_tokens whose use costs reward; 0 = none
  ImportanceCorrection correction = ImportanceCorrection::none;
  CorrectionLevel correction_level = CorrectionLevel::token;
  double correction_cap = 2;    ///< largest weight
  double correction_floor = 0;  ///< of mask: smallest weight that counts
  ReferencePolicy reference = ReferencePolicy::when_weighted;
  LogprobForm logprobs = LogprobForm::cross_entropy;
  UnknownLogprobs unknown_logprobs = UnknownLogprobs::error;
  double controller_lr = 0;  ///< rate that the controller gives to each update; 0 = the trainer's schedule
  PushMethod push = PushMethod::direct;
  int64_t push_every = 1;  ///< updates between two pushes
  RolloutLoop loop = RolloutLoop::synchronous;
  int64_t staleness = 0;                ///< of asynchronous: versions that the generator is behind
  int64_t max_lag = 0;                  ///< versions that a rollout's policy may lag; 0 = what the loop gives
  std::vector<std::string> push_omits;  ///< weights that only the first push brings: a planted defect
  PullRule pull = PullRule::newest;     ///< stale: a planted defect
  bool bill = false;                    ///< whether the gap to the generator is divided by its causes
  double largest_gap = 0;               ///< of imported rollouts: nats a token; 0 = any
  struct {
    int64_t ranks = 0;  ///< that only generate, after the trainer's ranks; 0 = the trainer's ranks generate
    int64_t tp = 1;     ///< ranks that share each matrix
    GeneratorPrecision dtype = GeneratorPrecision::trainer;
    bool cache = true;
    int64_t max_sequences = 8;  ///< at a time
    int64_t max_tokens = 256;   ///< of a pass
  } generator;
  /// Returns the completions of an update's prompt, from 0.
  int64_t group_of(size_t prompt) const {
    return group_sizes.empty() ? group_size : group_sizes[prompt % group_sizes.size()];
  }
};

struct AttentionConfig {
  AttentionBackend backend = AttentionBackend::sdpa;
  std::vector<DocumentBoundary> documents;  ///< at most one; empty = causal over the whole sequence
  int64_t sliding_window = 0;               ///< keys a query may attend to, including itself; 0 = all
  int64_t fixed_block = 0;                  ///< tokens of the blocks that attention may not leave; 0 = none
  FixedBlockForm fixed_block_form = FixedBlockForm::corrected;
};

struct LossConfig {
  Normalization normalization = Normalization::global_tokens;
  Accumulation accumulation = Accumulation::prefetched;
  int64_t chunks = 0;     ///< of tokens through the output projection; 0 = all at once
  double z_coef = 0;      ///< of the mean of (log sum exp(logits))^2
  double mtp_coef = 0.3;  ///< lambda of the mean of the losses of multi-token prediction
  MtpLabels mtp_labels = MtpLabels::shifted;
  LossScale scale = LossScale::none;
  double scale_init = 65536;          ///< of the first update
  double scale_growth = 2;            ///< factor after scale_interval updates in a row without overflow
  double scale_backoff = 0.5;         ///< factor after an update with overflow
  int64_t scale_interval = 2000;      ///< [updates]
  bool scale_holds_schedule = false;  ///< whether a skipped update leaves the schedule where it is
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

/// The number of ranks along each dimension of the mesh.
struct ParallelConfig {
  int64_t dp_replicate = 1;  ///< copies of the model, each with its own rows of an update
  int64_t dp_shard = 1;      ///< parts of a copy's parameters; each rank has its own rows here too
  int64_t tp = 1;            ///< parts of each matrix, multiplied on different ranks for the same rows
  int64_t cp = 1;            ///< parts of each sequence, on ranks with the same rows and the same parameters
  int64_t ep = 1;            ///< parts of the experts, on ranks of dp_shard x cp, which exchange their tokens
  bool sequence_parallel = false;
  bool loss_parallel = false;
  int64_t tp_sum_pieces = 0;  ///< of the columns of wo and w2, added as a tree for any tp; 0 = in one piece
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
  /// Returns the number of pieces that each rank of tp adds by itself.
  int64_t own_sum_pieces() const { return tp_sum_pieces > 0 ? tp_sum_pieces / tp : 1; }
  /// Resets the settings of dimensions that this mesh lacks.
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
  /// Returns whether parameters are kept in units that gather and cast them: FSDP, HSDP, replicate as HSDP.
  bool has_units() const { return dp_shard > 1 || replicate_with == ReplicateWith::hsdp; }
  /// Returns the number of ranks with different rows of an update.
  int64_t batch_ranks() const { return dp_replicate * dp_shard; }

  bool operator==(const ParallelConfig&) const = default;
};

struct CheckpointConfig {
  CheckpointFormat format = CheckpointFormat::torch_save;
  int64_t restart_after = 0;
  int64_t resume_dp_replicate = 0;  ///< layout of the process that resumes; 0 = parallel's
  int64_t resume_dp_shard = 0;
  int64_t resume_tp = 0;
  int64_t resume_cp = 0;
  int64_t resume_pp = 0;
  int64_t resume_ep = 0;
  std::vector<CheckpointPart> exclude_from_loading;
};

/// All settings that determine what a run computes. keys.hpp has their names, validate.hpp their rules.
struct RunConfig {
  std::string model = "llama3.debug";
  ArchitectureConfig architecture;
  MoeConfig moe;
  LoraConfig lora;
  LinearConfig linear;
  int64_t steps = 10;
  int64_t seed = 42;
  struct {
    std::string path;  ///< of the file or folder with the first weights; empty = they are drawn
  } weights;
  Precision dtype = Precision::float32;
  DeviceChoice device = DeviceChoice::cpu;
  DataConfig data;
  RlConfig rl;
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
    AutocastDtype autocast_dtype = AutocastDtype::bfloat16;
    Float8Scales float8 = Float8Scales::none;
    bool batch_invariant = false;     ///< a token's forward bits depend on its own sequence alone
    std::vector<std::string> freeze;  ///< patterns of names of parameters that do not train
  } train;
  ParallelConfig parallel;
  CheckpointConfig checkpoint;
  int64_t threads = 1;
  /// Returns the number of processes of a run: those that train, then those that only generate.
  int64_t ranks() const { return parallel.ranks() + rl.generator.ranks; }
  int64_t completions() const { return rl.completions > 0 ? rl.completions : data.global_batch; }
  /// Returns the layout of the process that resumes from a checkpoint.
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
    set(resumed.ep, checkpoint.resume_ep);
    if (resumed != parallel)
      resumed.drop_unused();
    return resumed;
  }
};

}  // namespace parity::reference
