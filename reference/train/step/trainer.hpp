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
#include "reference/train/step/step_result.hpp"
#include "reference/train/step/trainer_hooks.hpp"

namespace parity::reference {

class DeviceMesh;
class GradientScaler;
class Group;
class Optimizer;
class SavedValues;
struct MicroBatch;
struct Parallel;
struct BatchPiece;
struct PieceLoss;
struct Routing;
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
  /// \param world   all ranks of the run. \throws UserError unless there are config.parallel.ranks() of them
  Trainer(const RunConfig& config, std::shared_ptr<Group> world);
  /// On one rank.
  explicit Trainer(const RunConfig& config);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  void set_phase_hook(PhaseHook hook);
  void set_batch_hook(BatchHook hook);
  void set_piece_hook(PieceHook hook);

  /// Called with the name of each module of the model when it begins to run, also without gradients.
  using PartEntered = std::function<void(const std::string& part)>;
  /// Called with the result that the modules around it receive (ModuleHooks::observe).
  /// `first_row` is the place of the result's first row in the micro-batch.
  using PartLeft = std::function<void(const std::string& part, const at::Tensor& result, int64_t first_row)>;
  void observe_parts(PartEntered entered, PartLeft left);
  /// Called with each choice of a router; `part` is the name of its mixture of experts. A block that runs
  /// again chooses again.
  using RoutesChosen = std::function<void(const std::string& part, int64_t first_row, int64_t sequences,
                                          const Routing& routing)>;
  void observe_routes(RoutesChosen chosen);

  /// Makes one whole update. \throws NonFinite if its loss or gradient is not finite
  StepResult step();

  void zero_grad();
  UpdateBatches next_batches();
  /// Adds the gradient of the micro-batch's loss to the parameters' gradients.
  /// \param totals  of the update; its valid_tokens may be 0 with gradient_scaling only
  /// \throws NonFinite, or UserError if the loss is not defined
  void forward_backward(const MicroBatch& batch, const UpdateTotals& totals);
  /// Calls the function above for each micro-batch in order.
  void forward_backward(const UpdateBatches& batches);
  /// Computes a caller's loss from the log probabilities of the labels: a scalar, this rank's term of a sum
  /// over ranks. Called once for each piece that goes through the model. Under a pipeline only the last stage
  /// calls it.
  using TokenLoss = std::function<at::Tensor(const TokenOutputs& tokens)>;
  /// Adds the gradient of a caller's loss over this rank's rows of an update.
  void forward_backward(const MicroBatch& batch, const TokenLoss& loss);
  /// Returns the log probabilities of the labels without gradients; 0 where a label does not count.
  /// \return [B, S] float64 on the CPU, the same on all ranks that share these rows
  at::Tensor forward(const MicroBatch& batch);
  /// Ends the update: reduces the gradients, finishes the loss, clips, updates the weights and advances the
  /// schedule.
  /// \param numbers  replace the schedule's and the config's for this update. The schedule advances anyway.
  /// \return every field but `seconds`, over all forward_backward() since the last optim_step()
  /// \throws NonFinite if the norm of the gradients is not finite
  StepResult optim_step(const UpdateNumbers& numbers = {});

  /// Returns the mean loss of the data's first data.global_batch rows, over the labels that count, without
  /// gradients. It does not depend on what the training has read.
  double evaluate();

  int64_t updates_done() const;
  /// Updates that the schedule counts. They differ from updates_done() only if a resumed run did not load it.
  int64_t schedule_position() const;
  /// Number of the next update's first sequence.
  int64_t data_position() const;
  /// Returns how many rows before it each of data.paths gave; empty without a blend.
  std::vector<int64_t> rows_by_source() const;
  /// Sequences that this rank has fetched so far.
  int64_t sequences_read() const;
  /// The parameters that this rank trains; its shards, if they are sharded.
  const std::vector<Parameter>& parameters() const;
  /// The leaves of backward: the parameters, or the whole tensors that FSDP gathers from shards.
  const std::vector<Parameter>& leaves() const;
  const Optimizer& optimizer() const;
  /// The loss's scale; null without loss.scale.
  const GradientScaler* scaler() const;
  const RunConfig& config() const;
  /// The biases of the routers, the same on every rank. They have no gradient, so they are not parameters.
  std::vector<Parameter> router_biases() const;
  /// All ranks of the run.
  const Group& world() const;
  const DeviceMesh& mesh() const;
  const Parallel& parallel() const;
  const ModelDimensions& dimensions() const;
  /// Swaps the values of the parameters with `values`, which have the shapes and the order of parameters().
  void swap_values(std::vector<at::Tensor>& values);
  /// Returns copies of the values of this rank's parameters, in order.
  std::vector<at::Tensor> copied_values() const;
  /// Makes save() write such values too, under `name`, and load() read them back.
  /// \param values  must outlive the trainer
  void keep_in_checkpoints(const std::string& name, std::vector<at::Tensor>& values);
  /// The buffers in which gradients are reduced, a line each; empty if each parameter has its own.
  const std::vector<std::string>& buffers() const;
  /// Digest of the whole model's initial weights (weights_digest.hpp), also in a resumed run.
  const std::string& initial_weights() const;
  /// What a user should know: adjusted numbers of the schedule, options without effect, ambiguous documents.
  const std::vector<std::string>& warnings() const;
  /// Returns the document of each token, [B, S], as attention sees it; zeros if the mask ignores documents.
  std::vector<int64_t> document_ids(const MicroBatch& batch) const;
  /// Returns the first key that each query attends to, [B, S], for each of the model's masks by name. A query
  /// attends to the keys from there up to itself.
  std::map<std::string, std::vector<int64_t>> first_keys(const MicroBatch& batch) const;

  /// Writes everything needed to resume: parameters, optimizer, schedule and data positions, generator. Any
  /// layout on any number of ranks can load it. All ranks call it.
  /// \param path  of a file with whole tensors, which rank 0 writes; or of a DCP folder, to which each rank
  /// writes its shards
  void save(const std::filesystem::path& path, CheckpointFormat format = CheckpointFormat::torch_save) const;
  /// Refuses what save_weights() could not write: adapters, and weights that such files have no name for.
  /// \throws UserError
  void check_saves_weights(WeightNames names) const;
  /// Writes the weights alone, whole, as a safetensors file. All ranks call it; rank 0 writes.
  void save_weights(const std::filesystem::path& file, WeightNames names) const;
  /// Resumes from a checkpoint. All ranks call it.
  /// \param path     a file that rank 0 sees, or a DCP folder that every rank sees
  /// \param exclude  parts that keep their initial state
  /// \throws UserError if it is missing or damaged, or not a checkpoint of this model. A DCP folder may have
  /// nothing besides
  void load(const std::filesystem::path& path, const std::vector<CheckpointPart>& exclude,
            CheckpointFormat format = CheckpointFormat::torch_save);

 private:
  /// Loss of a piece of a micro-batch, from its hidden states.
  using PieceLossOf = std::function<PieceLoss(const BatchPiece& piece, const at::Tensor& hidden)>;
  void load_values(const SavedValues& values, const std::vector<CheckpointPart>& exclude);
  void stream_update();
  void count_routes(const UpdateBatches& update);
  void differentiate(const MicroBatch& batch, const PieceLossOf& loss_of);
  void differentiate_in_pieces(const std::vector<BatchPiece>& pieces, const PieceLossOf& loss_of);
  std::vector<BatchPiece> pieces_of(const MicroBatch& batch) const;
  /// Runs forward without backward. \return the losses of the pieces, on every rank
  std::vector<at::Tensor> visit_pieces(const MicroBatch& batch, const PieceLossOf& loss_of) const;
  void check_labels(const std::vector<BatchPiece>& pieces) const;
  /// \param first_activation  returns the name of the first activation that is not finite
  void check_loss(const torch::Tensor& loss, const std::function<std::string()>& first_activation);

  std::unique_ptr<TrainerState> state_;
};

}  // namespace parity::reference
