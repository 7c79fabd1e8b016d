// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/bisect/runs/probe.hpp"
#include "harness/bisect/traces/tensor_path.hpp"

namespace parity::bisect {

/// The update in which two runs diverge, and its first tensor that differs.
///
/// Both sides run up to the update once and write checkpoints. The update then runs again from the last
/// checkpoint before it, as often as needed.
class FirstBadUpdate {
 public:
  /// Finds the update and the tensor. Records the stages "step" and "tensor".
  /// \param visible  a step at which a difference is visible, so the last one to consider
  /// \param values   of a search of exact twins at one later update: the run with the checkpoint before it
  FirstBadUpdate(RunProbe& probe, int64_t visible, std::optional<SideTraces> values = {});

  /// Continues at the first update after which the states differ, if no tensor of the update differs. A
  /// channel may be computed differently from the same tensors, as a norm over shards is.
  void search_later();

  int64_t step() const { return step_; }
  const std::optional<TensorStation>& first() const { return first_; }
  /// Returns the last tensor before the first difference that agrees.
  const std::optional<trace::TensorKey>& last_equal() const { return last_equal_; }
  /// Returns whether both sides recorded tensors of the update.
  bool has_tensors() const { return !path_.stations.empty(); }
  const SideTraces& traces() const { return *tensors_; }
  const TensorPath& path() const { return path_; }
  /// Takes another tensor of the update as the first difference, because those before it differ by rounding.
  void take_station(const TensorStation& station);
  /// Takes a later update. The states of the sides before it differ by rounding.
  void move_to(int64_t step);

  /// Runs the update again on both sides.
  SideTraces run_again(const std::string& suffix, const trace::Capture& capture);
  /// Runs the update again and feeds the bad side with the good side's tensors (SideRuns::run_fed). Also runs
  /// the update before it, so that the bad side receives the good side's state at the start.
  SideTraces run_fed(const trace::Capture& kept, const trace::Capture& compared);
  /// Runs the update and the one before it, so that the traces have the state before the update.
  SideTraces run_with_state_before(const std::string& suffix, const trace::Capture& capture);
  /// Runs the update again on the good side only, unchanged and with these perturbations
  /// (SideRuns::run_shaken).
  SideTraces run_shaken(const std::string& suffix, const trace::Capture& capture,
                        const std::vector<trace::Fault>& shakes);
  /// Returns the capture rule for all tensors of the update.
  trace::CaptureRule everything() const;
  /// Returns the first tensor in words: "forward layers.0 at step 3 ..., on rank 1".
  std::string describe_rank() const;

 private:
  /// \param ahead  number of updates to run before it, if there are that many
  SideRuns::Span span_of_update(int64_t ahead = 0) const;
  void find_step();
  void run_before(const std::string& suffix, int64_t last);
  bool find_other_state(int64_t last);
  void find_tensor();
  void take_first();
  void print_tensor();

  RunProbe& probe_;
  std::optional<SideTraces> before_;  ///< with the state at each update
  int64_t every_ = 1;                 ///< updates between its checkpoints
  bool from_checkpoint_ = true;       ///< whether the update runs from one of its checkpoints
  bool is_alone_ = false;             ///< no other update may be searched
  int64_t visible_;
  int64_t step_;
  std::optional<SideTraces> tensors_;
  TensorPath path_;
  std::optional<TensorStation> first_;
  std::optional<trace::TensorKey> last_equal_;
};

}  // namespace parity::bisect
