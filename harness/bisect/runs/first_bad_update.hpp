// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/bisect/runs/probe.hpp"
#include "harness/bisect/traces/tensor_path.hpp"

namespace parity {

/// The update in which two runs part, and the first tensor of it that differs. Both sides run up to it with
/// checkpoints on the way; the update is then run again from the last one before it, as often as asked.
class FirstBadUpdate {
 public:
  /// Finds both. Tells the stages "step" and "tensor".
  /// \param visible  the step at which a difference shows at the latest
  FirstBadUpdate(RunProbe& probe, int64_t visible);

  int64_t step() const { return step_; }
  const std::optional<TensorStation>& first() const { return first_; }
  /// The last tensor before it that agrees.
  const std::optional<TensorKey>& last_equal() const { return last_equal_; }
  /// Whether both recorded tensors of the update.
  bool has_tensors() const { return !path_.stations.empty(); }
  const SideTraces& traces() const { return *tensors_; }
  const TensorPath& path() const { return path_; }
  /// Another tensor of the update to be looked at as the first: those before it differ by rounding.
  void look_at(const TensorStation& station);
  /// Another, later update to be looked at: the sides come to it with states that differ by rounding.
  void move_to(int64_t step);

  /// The update once more.
  SideTraces run_again(const std::string& suffix, const Capture& capture);
  /// It once more, the other side going on with the good side's numbers after each tensor
  /// (SideRuns::run_fed).
  /// The one before it is run too, so that the other side can be given the state that it begins with.
  SideTraces run_fed(const Capture& kept, const Capture& compared);
  /// It once more, by the good side alone, as it is and with these changes (SideRuns::run_shaken).
  SideTraces run_shaken(const std::string& suffix, const Capture& capture, const std::vector<Fault>& shakes);
  /// What a capture of all tensors of the update asks for.
  CaptureRule everything() const;
  /// "forward layers.0 at step 3 ..., on rank 1": of the first tensor.
  std::string describe_rank() const;

 private:
  /// \param ahead  updates that are to be run before it, if there are as many
  SideRuns::Span span_of_update(int64_t ahead = 0) const;
  void find_step(int64_t visible);
  void find_later_step(int64_t visible);
  void run_before(const std::string& suffix, int64_t last);
  bool find_other_state(int64_t last);
  void find_tensor();
  void take_first();
  void print_tensor();

  RunProbe& probe_;
  std::optional<SideTraces> before_;  ///< with the state at each update
  int64_t every_ = 1;                 ///< updates between its checkpoints
  bool from_checkpoint_ = true;       ///< whether the update runs from one of its checkpoints
  int64_t step_;
  std::optional<SideTraces> tensors_;
  TensorPath path_;
  std::optional<TensorStation> first_;
  std::optional<TensorKey> last_equal_;
};

}  // namespace parity
