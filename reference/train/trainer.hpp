// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/trace/format/phase.hpp"
#include "reference/config/run_config.hpp"
#include "reference/config/weight_names.hpp"
#include "reference/optim/update_numbers.hpp"
#include "reference/train/policy_result.hpp"

namespace parity::reference {

class DeviceMesh;
class Group;
class Optimizer;
struct MicroBatch;
struct Parallel;
struct BatchPiece;
struct PieceLoss;
struct Parameter;
struct TokenOutputs;
struct ModelDimensions;
struct UpdateBatches;
struct UpdateTotals;

/// Which query-key pairs an update attended over, and by which positions RoPE turned. Like batch_digest, none
/// depends on the number of micro-batches.
struct MaskResult {
  int64_t pairs = 0;            ///< that attend, over all rows
  int64_t digest = 0;           ///< of those pairs
  int64_t position_digest = 0;  ///< of the positions
};

/// What one update measured. Losses and norms are float32 widened, or float64 in a twin.
struct StepResult {
  int64_t step = 0;      ///< counted from 1
  double loss = 0;       ///< as it was differentiated: the sum over micro-batches, divided as the gradient
  double grad_norm = 0;  ///< before clipping
  double lr = 0;         ///< that the update used
  std::optional<double> eval_loss;     ///< after the update, where train.evaluate is set
  std::optional<double> weight_decay;  ///< that the update used; only where a schedule moves it
  int64_t tokens = 0;  ///< positions that went through the model, counted: also ignored labels and padding
  int64_t valid_tokens = 0;  ///< labels that counted, counted in every mode, not what a config promises
  double update_norm = 0;    ///< L2 of the change of all parameters, accumulated in float64
  int64_t batch_digest = 0;  ///< of tokens and labels; does not depend on the number of micro-batches
  std::optional<int64_t> routing_digest;   ///< of which token went to which expert, where there are experts
  std::optional<double> expert_imbalance;  ///< tokens of the busiest expert of a block over their mean
  std::optional<MaskResult> mask;  ///< where the config speaks of documents or of another backend than sdpa
  std::optional<int64_t> recomputed_blocks;  ///< that backward computed again, where some may be
  std::optional<PolicyResult> policy;        ///< of a policy that learns from rollouts
  double seconds = 0;                        ///< wall time of the step
};

/// Trains one model, on one rank or as one of several that call the same functions in the same order.
///
/// A step is: drop the gradients, fetch the batches of the update, forward and backward for each micro-batch,
/// clip, optimizer, schedule. The two halves can be called on their own (halves.hpp): forward_backward() adds
/// to the gradients of before, optim_step() ends the update.
class Trainer {
 public:
  /// Makes model, data, optimizer and schedule.
  /// \param config  validated
  /// \param world   all ranks of the run, as many as config.parallel.ranks(). \throws UserError if not so
  /// many
  Trainer(const RunConfig& config, std::shared_ptr<Group> world);
  /// On one rank.
  explicit Trainer(const RunConfig& config);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Called with the gradients after backward, with several ranks before they are reduced (grad_local) and
  /// after (grad), after clipping (grad_clipped), after the update with the state of the optimizer (optim)
  /// and with the parameters (param). It may write to them.
  using PhaseHook = std::function<void(Phase)>;
  void set_phase_hook(PhaseHook hook);
  /// Called with each micro-batch before its forward pass; `index` counts from 0 in each update.
  using BatchHook = std::function<void(int64_t step, int64_t index, const MicroBatch&)>;
  void set_batch_hook(BatchHook hook);

  /// Called with each part of the model as it runs, also without gradients: its name as it is entered, and
  /// what the parts around it get of it (ModuleHooks::observe). `first_row`: of the result's rows in the
  /// micro-batch.
  using PartEntered = std::function<void(const std::string& part)>;
  using PartLeft = std::function<void(const std::string& part, const at::Tensor& result, int64_t first_row)>;
  void observe_parts(PartEntered entered, PartLeft left);

  /// One whole update. \throws NonFinite if its loss or gradient is not finite
  StepResult step();

  void zero_grad();
  UpdateBatches next_batches();
  /// Adds the gradient of the micro-batch's loss to the parameters' gradients.
  /// \param totals  of the update; its valid_tokens may be 0 with gradient_scaling only
  /// \throws NonFinite, UserError where the loss is not defined
  void forward_backward(const MicroBatch& batch, const UpdateTotals& totals);
  /// The same for each micro-batch in order.
  void forward_backward(const UpdateBatches& batches);
  /// A loss of the caller's own, of the log probabilities of the labels: scalar, this rank's term of a sum
  /// over ranks. Called once for each piece that goes through the model, where its logits are: under a
  /// pipeline on the last stage.
  using TokenLoss = std::function<at::Tensor(const TokenOutputs& tokens)>;
  /// Adds the gradient of such a loss, over rows that this rank has of an update.
  void forward_backward(const MicroBatch& batch, const TokenLoss& loss);
  /// Log probabilities of the labels of such rows, without gradients; 0 where a label does not count.
  /// \return [B, S] float64 on the CPU, the same on all ranks that have a part of the rows
  at::Tensor forward(const MicroBatch& batch);
  /// Ends the update: gradient scaling where asked for, norm, clipping, optimizer, schedule.
  /// \param numbers  in place of the schedule's, which moves on all the same, and of the config's
  /// \return everything but `seconds`, over all forward_backward() since the last optim_step()
  StepResult optim_step(const UpdateNumbers& numbers = {});

  /// Mean loss over the labels that count of the data's first data.global_batch rows, whatever the training
  /// has read, without gradients.
  double evaluate();

  int64_t updates_done() const;
  /// Sequences that this rank has fetched so far.
  int64_t sequences_read() const;
  /// What this rank trains: its parts, where parameters are sharded.
  const std::vector<Parameter>& parameters() const;
  const Optimizer& optimizer() const;
  const RunConfig& config() const;
  /// The biases of the routers, which are no parameters: nothing differentiates them. The same on every rank.
  std::vector<Parameter> router_biases() const;
  /// All ranks of the run, and how they are arranged.
  const Group& world() const;
  const DeviceMesh& mesh() const;
  const Parallel& parallel() const;
  const ModelDimensions& dimensions() const;
  /// Puts other values into the parameters, of the shapes and in the order of parameters(), and gives the old
  /// ones back: twice is as before.
  void swap_values(std::vector<at::Tensor>& values);
  /// The values of the parameters of this rank, in order, copied.
  std::vector<at::Tensor> copied_values() const;
  /// Such values that checkpoints hold too, under a name of their own, and are read back into.
  /// \param values  stay where they are
  void keep_in_checkpoints(const std::string& name, std::vector<at::Tensor>& values);
  /// The buffers in which gradients are reduced, a line each; empty where each parameter has its own.
  const std::vector<std::string>& buffers() const;
  /// Digest of the whole model's first weights (weights_digest.hpp), also in a run that goes on.
  const std::string& initial_weights() const;
  /// Adjustments made to the schedule's numbers, and which of two marks of documents is used.
  const std::vector<std::string>& warnings() const;
  /// Document of each token of a batch as attention sees them, [B, S]; zeros where it tells none apart.
  std::vector<int64_t> document_ids(const MicroBatch& batch) const;
  /// Of each of the model's masks, by name: the first key that each query looks at, [B, S]. A mask lets a
  /// query look at neighbouring keys up to itself.
  std::map<std::string, std::vector<int64_t>> first_keys(const MicroBatch& batch) const;

  /// Everything needed to go on: parameters, optimizer, schedule and data positions, generator. Whole
  /// tensors, whatever the ranks hold: any layout loads them. All ranks call it; rank 0 writes.
  void save(const std::filesystem::path& file) const;
  /// The weights alone, as a safetensors file that others read too, whole and from all ranks likewise.
  void save_weights(const std::filesystem::path& file, WeightNames names) const;
  /// \param exclude  parts that keep their first state. \throws UserError if the file is missing or foreign
  void load(const std::filesystem::path& file, const std::vector<CheckpointPart>& exclude);

 private:
  /// Loss of a piece of a micro-batch, from its hidden states.
  using PieceLossOf = std::function<PieceLoss(const BatchPiece& piece, const at::Tensor& hidden)>;
  void stream_update();
  void differentiate(const MicroBatch& batch, const PieceLossOf& loss_of);
  void differentiate_in_pieces(const std::vector<BatchPiece>& pieces, const PieceLossOf& loss_of);
  std::vector<BatchPiece> pieces_of(const MicroBatch& batch) const;
  /// Forward without backward. \return the pieces' losses, on every rank
  std::vector<at::Tensor> visit_pieces(const MicroBatch& batch, const PieceLossOf& loss_of) const;
  void check_labels(const std::vector<BatchPiece>& pieces) const;
  /// \param first_activation  names the first one that is not finite
  void check_loss(const torch::Tensor& loss, const std::function<std::string()>& first_activation);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::reference
