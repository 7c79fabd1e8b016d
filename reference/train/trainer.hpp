// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/config/weight_names.hpp"
#include "reference/optim/update_numbers.hpp"
#include "reference/train/step_result.hpp"
#include "reference/train/trainer_hooks.hpp"

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
struct TrainerState;
struct ModelDimensions;
struct UpdateBatches;
struct UpdateTotals;

/// Trains one model, on one rank or as one of several that call the same functions in the same order.
///
/// A step drops the gradients, fetches the batches of the update, runs forward and backward for each
/// micro-batch, and ends the update. A caller may drive the two halves itself (halves.hpp):
/// forward_backward() adds to the gradients that are there, optim_step() ends the update.
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

  void set_phase_hook(PhaseHook hook);
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
  /// Ends the update: reduces the gradients, finishes the loss, clips, updates the weights and advances the
  /// schedule.
  /// \param numbers  replace the schedule's and the config's for this update. The schedule advances anyway.
  /// \return every field but `seconds`, over all forward_backward() since the last optim_step()
  /// \throws NonFinite if the norm of the gradients is not finite
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
  /// Digest of the whole model's initial weights (weights_digest.hpp), also in a resumed run.
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

  std::unique_ptr<TrainerState> state_;
};

}  // namespace parity::reference
