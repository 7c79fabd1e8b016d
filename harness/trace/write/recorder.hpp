// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/json.hpp"
#include "harness/measure/measurement.hpp"
#include "harness/tensor/placement.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/capture.hpp"
#include "harness/trace/format/channel.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity {

/// A change made to a tensor before it is recorded and before the trainer goes on with it, for programs that
/// hold a Recorder. What a run is to be changed by is told by its capture (fault.hpp). Called for every
/// tensor the trainer offers, after the capture's faults.
/// The last parameter is the trainer's own memory, which the hook may write to.
using FaultHook =
    std::function<void(int64_t step, Phase phase, std::string_view name, const TensorView& view, void* data)>;

/// What a trainer calls to leave a trace. One object a rank; calls come from one thread.
///
/// Values are copied before a call returns; a writer thread puts them into the file beside the next step.
/// Each step is committed whole once its `end_step` has been called: a process killed at any time leaves all
/// committed steps readable, and loses at most the one going on and those still queued.
class Recorder {
 public:
  /// What a recorder is opened with.
  struct Options {
    std::filesystem::path path;  ///< trace.h5; written as trace.h5.partial until `finish`
    Json config;                 ///< canonical numeric config
    Json provenance;             ///< allow-listed facts about build and machine
    Capture capture;             ///< what is recorded, and which faults are injected
    /// Continue a complete trace of the first `append_after` steps (a resumed run); 0 starts a new one.
    int64_t append_after = 0;
    int64_t rank = 0;   ///< who records; rank k > 0 writes trace.rank<k>.h5 beside rank 0's `path`
    int64_t ranks = 1;  ///< of the run
  };

  /// \throws UserError if the file cannot be made, or holds other steps than `append_after` says.
  explicit Recorder(Options options);
  ~Recorder();  ///< without `finish`, leaves the partial file; steps that were ended are in it
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Installs a hook that may change each tensor before it is recorded.
  void set_fault_hook(FaultHook hook);

  /// Step s >= 1 is the s-th optimizer update; step 0 is the initial state and takes tensors only (no
  /// channels).
  void begin_step(int64_t step);
  /// Records the value of a channel at this step.
  void channel(std::string_view name, double value, ChannelKind kind = ChannelKind::numeric);
  /// Records the value of an integer channel at this step.
  void channel(std::string_view name, int64_t value, ChannelKind kind = ChannelKind::numeric);
  /// Whether offering this tensor would record anything; lets a trainer skip work.
  bool wants(Phase phase, std::string_view name) const;
  /// Whether it would need the elements: to keep them, or to let a fault or the teacher change them.
  /// Otherwise `measured` does.
  bool wants_elements(Phase phase, std::string_view name) const;
  /// Whether the operators of a module are to be observed; each of their tensors is offered by `tensor`,
  /// under a name that operator_tensor.hpp makes. Without arguments: those of any module at this step.
  bool wants_operators() const;
  /// Returns whether the operators of this module are to be observed in this phase.
  bool wants_operators(Phase phase, std::string_view module) const;
  /// Offers a logical tensor, or what this rank holds of it. Applies the capture's faults; then records it,
  /// its sketch, both or nothing, as the capture says; then puts the teacher's numbers in its place. A tensor
  /// that other ranks hold too is offered on each of them.
  /// \param phase     when in the step it is offered
  /// \param name      the logical tensor's
  /// \param view      its elements, or this rank's share of them; copied before the call returns
  /// \param writable  same memory as view.data, when a fault hook may change it
  /// \param layout    how the view lies in the logical tensor; the default is all of it. With a placement
  /// along
  ///                  `micro_batch` (pieces.hpp) it is one of several pieces that come in one step; they are
  ///                  recorded as one tensor
  /// \throws UserError if the view is not of the layout's shape, or a fault cannot be applied
  void tensor(Phase phase, std::string_view name, const TensorView& view, void* writable = nullptr,
              const TensorLayout& layout = {});
  /// Puts the teacher's numbers in the place of a tensor that is computed a second time in a step, as parts
  /// of a checkpointed block are in the backward pass. `wants_teaching` tells whether there are any.
  bool wants_teaching(Phase phase, std::string_view name) const;
  /// Writes the teacher's numbers into `writable`, the memory of `view`.
  void teach(Phase phase, std::string_view name, const TensorView& view, void* writable,
             const TensorLayout& layout = {});
  /// As `tensor`, of one whose elements the host does not have: with what was measured where they are.
  void measured(Phase phase, std::string_view name, DType dtype, const Shape& shape, const Measurement& found,
                const TensorLayout& layout = {});
  /// \throws UserError if a fault of this step met no tensor
  void end_step();

  /// /replay: enough for another trainer to repeat the run; what this rank holds and reads of it. Ignored
  /// unless capture.replay, which `wants_replay` tells.
  bool wants_replay() const;
  /// Stores the initial value of a parameter for a replay.
  void replay_parameter(std::string_view name, const TensorView& view);
  /// Stores one field of a micro-batch for a replay.
  /// \param step         update number
  /// \param micro_batch  number within the update, from 0
  /// \param field        tokens, labels or positions
  /// \param view         [B, S] int64
  void replay_batch(int64_t step, int64_t micro_batch, std::string_view field, const TensorView& view);

  /// Marks the end before its time: {"kind": "non_finite", "step": 3, "phase": "grad", "tensor": "..."}.
  /// A step that goes on is dropped; end it first to keep what it recorded.
  void failure(const Json& what);
  /// Drains the writer and closes the file: status complete and the final name, or after `failure` partial
  /// as it is. Rank 0 calls it when all other ranks have: it notes what their files are. \throws UserError if
  /// the disk is full
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity
