// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/json/json.hpp"
#include "harness/measure/tensor/measurement.hpp"
#include "harness/tensor/placement.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/capture.hpp"
#include "harness/trace/format/channel.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::trace {

/// Changes a tensor before the Recorder records it and before the trainer continues with it. For programs
/// that own a Recorder; a run's own faults are listed in its capture (fault.hpp). The Recorder calls the hook
/// for every tensor that the trainer offers, after it has applied the capture's faults.
/// \param data  the trainer's own memory of the tensor; the hook may write to it
using FaultHook =
    std::function<void(int64_t step, Phase phase, std::string_view name, const TensorView& view, void* data)>;

/// Checks that a layout describes a part of this shape. \throws UserError naming the tensor if it does not
void check_part(const Shape& shape, const TensorLayout& layout, std::string_view name);

/// Records a training run into a trace file. A trainer creates one Recorder for each rank and calls it from
/// one thread.
///
/// Each call copies its values before it returns; a writer thread writes them to the file while the next step
/// runs. A step is committed as a whole once `end_step` was called for it. A process killed at any time
/// leaves all committed steps readable. It loses at most the unfinished step and those still queued.
class Recorder {
 public:
  /// What a Recorder is opened with.
  struct Options {
    std::filesystem::path path;  ///< trace.h5; written as trace.h5.partial until `finish`
    Json config;                 ///< canonical numeric config
    Json provenance;             ///< allow-listed facts about build and machine
    /// What is recorded, and what is changed in the run.
    Capture capture;
    /// Number of steps that the complete trace at `path` must hold, to continue it (a resumed run). 0 starts
    /// a new trace.
    int64_t append_after = 0;
    /// Rank of this process. Rank k > 0 writes trace.rank<k>.h5 in the folder of rank 0's `path`.
    int64_t rank = 0;
    int64_t ranks = 1;  ///< number of ranks in the run
    /// Whether faults change only what `disturb` gets, since `tensor` gets residues of the run's values.
    bool faults_by_disturb = false;
  };

  /// Opens the file. \throws UserError if it cannot be created, or holds other steps than `append_after` says
  explicit Recorder(Options options);
  /// Without `finish`, leaves the partial file, which holds the steps that were ended.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Installs a hook that may change each tensor before it is recorded.
  void set_fault_hook(FaultHook hook);

  /// Begins a step. Step s >= 1 is the s-th optimizer update. Step 0 is the initial state, which takes
  /// tensors but no channels.
  void begin_step(int64_t step);
  /// Records the value of a channel at this step. \throws UserError if the step already has one
  void channel(std::string_view name, double value, ChannelKind kind = ChannelKind::numeric);
  /// Records the value of an integer channel at this step. \throws UserError if the step already has one
  void channel(std::string_view name, int64_t value, ChannelKind kind = ChannelKind::numeric);
  /// Returns whether the capture asks for this tensor; lets a trainer skip work.
  bool wants(Phase phase, std::string_view name) const;
  /// Returns whether `tensor` needs the elements: to keep them, or because a fault or the teacher changes
  /// them. Otherwise `measured` is enough.
  bool wants_elements(Phase phase, std::string_view name) const;
  /// Returns whether a fault, the fault hook or the teacher may change this tensor, so that `tensor` needs
  /// its memory as `writable`.
  bool may_change(Phase phase, std::string_view name) const;
  /// Returns whether the capture asks for the operators of a module, or of any module at this step. The
  /// trainer offers each of their tensors by `tensor`, under a name that operator_tensor.hpp builds.
  bool wants_operators() const;
  /// Returns whether the capture asks for the operators of this module in this phase of the step.
  bool wants_operators(Phase phase, std::string_view module) const;
  /// Returns whether the capture asks for the gradient of each single micro-batch. The trainer offers it in
  /// phase grad_local, under a name that micro_batch_tensor.hpp builds.
  bool wants_micro_batches() const;
  /// Offers a logical tensor, or this rank's part of it. A tensor that several ranks hold is offered on each
  /// of them. The Recorder first applies the capture's faults. It then records the tensor, its sketch, both
  /// or nothing, as the capture says. Finally it replaces the values by the teacher's, if there is a teacher.
  /// \param phase     the point of the step at which the tensor is offered
  /// \param name      name of the logical tensor
  /// \param view      its elements, or this rank's part of them; copied before the call returns
  /// \param writable  the memory of view.data, if a fault hook may change it
  /// \param layout    place of the view in the logical tensor; by default the view is all of it. With a
  ///                  placement along `micro_batch` (pieces.hpp) the view is one of several pieces offered in
  ///                  one step, which are recorded as one tensor
  /// \param order     position of the tensor in the step's order of execution, for tensors that are offered
  ///                  in another order. By default one more than the highest position so far
  /// \throws UserError if the view does not have the layout's shape, a fault cannot be applied, or `order` is
  ///         negative
  void tensor(Phase phase, std::string_view name, const TensorView& view, void* writable = nullptr,
              const TensorLayout& layout = {}, std::optional<int64_t> order = {});
  /// Applies the capture's faults to a tensor without recording it: memory that is on its way, such as the
  /// buffers of a collective between their checksums. `may_change` returns whether there are any.
  void disturb(Phase phase, std::string_view name, const TensorView& view, void* writable,
               const TensorLayout& layout = {});
  /// Replaces a tensor by the teacher's values without recording it. For tensors that are computed a second
  /// time in a step, as a checkpointed block does in the backward pass. `wants_teaching` returns whether
  /// there are such values.
  bool wants_teaching(Phase phase, std::string_view name) const;
  /// Writes the teacher's values to `writable`, the memory of `view`. Changes nothing if the teacher has no
  /// values, or none of this dtype and shape. `layout` states the place of the view in the logical tensor.
  void teach(Phase phase, std::string_view name, const TensorView& view, void* writable,
             const TensorLayout& layout = {});
  /// Records a tensor whose elements are not in host memory, from what was measured on the device. Otherwise
  /// like `tensor`.
  void measured(Phase phase, std::string_view name, DType dtype, const Shape& shape,
                const measure::Measurement& found, const TensorLayout& layout = {},
                std::optional<int64_t> order = {});
  /// Ends the step and commits it. \throws UserError if a fault of this step matched no tensor
  void end_step();

  /// Record, under /replay, what another trainer needs to repeat the run: the parameters this rank holds and
  /// the batches it reads. Ignored unless capture.replay is set, which `wants_replay` returns.
  bool wants_replay() const;
  /// Records the initial value of a parameter, or of the part that this rank holds.
  void replay_parameter(std::string_view name, const TensorView& view);
  /// Records one field of a micro-batch.
  /// \param step         update number
  /// \param micro_batch  number of the micro-batch within the update
  /// \param field        tokens, labels or positions
  /// \param view         its values; [B, S] int64
  void replay_batch(int64_t step, int64_t micro_batch, std::string_view field, const TensorView& view);

  /// Adds facts about what the run computes, which a trainer may know only after its first update: optimizer,
  /// parameter groups, clipping (FORMAT.md, "Recipe"). They become part of the provenance with the next step.
  void describe(const Json& recipe);

  /// Marks the run as failed: {"kind": "non_finite", "step": 3, "phase": "grad", "tensor": "..."}. An
  /// unfinished step is dropped; end it first to keep what it recorded.
  void failure(const Json& what);
  /// Drains the writer and closes the file. The trace becomes complete and gets its final name; after
  /// `failure` it stays partial. Rank 0 calls `finish` after all other ranks, because it records name, size
  /// and digest of their files.
  /// \throws UserError if the disk is full
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::trace
