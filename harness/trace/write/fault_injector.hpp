// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/fault.hpp"

namespace parity::trace {

/// Applies the faults of a capture to one rank's tensors as they are offered.
///
/// A fault changes memory that the training continues with: gradients before the optimizer, and parameters
/// after it or, at step 0, before the first forward pass. Several faults of one tensor are applied in their
/// order.
class FaultInjector {
 public:
  /// Prepares the faults of one rank.
  /// \param ranks  number of ranks in the run
  /// \throws UserError if a fault names a rank that does not exist
  FaultInjector(const std::vector<Fault>& faults, int64_t rank, int64_t ranks);

  /// Returns whether a fault needs this tensor, to change it or to remember its values.
  bool wants(int64_t step, Phase phase, std::string_view name) const;
  /// Applies the faults of this tensor.
  /// \param writable  the trainer's memory of the tensor; null if changes would not reach the training
  /// \throws UserError if a fault of this tensor cannot be applied
  void offer(int64_t step, Phase phase, const std::string& name, const TensorView& view, void* writable,
             const TensorLayout& layout);
  /// Ends a step. \throws UserError if a fault of this step and rank matched no tensor. In a run of several
  /// ranks, only faults that name a rank must match: another rank may hold the tensor.
  void end_step(int64_t step);
  /// Checks the faults that apply to every step, once the run has ended. \throws UserError as end_step
  void finish() const;
  const std::vector<FaultReport>& reports() const { return reports_; }

 private:
  using Place = std::pair<Phase, std::string>;
  struct Kept {
    int64_t step = 0;
    std::vector<std::byte> bytes;
  };

  bool is_mine(const Fault& fault) const { return !fault.rank || *fault.rank == rank_; }
  bool must_meet(const Fault& fault) const { return is_mine(fault) && (fault.rank || ranks_ == 1); }
  bool is_needed_later(int64_t step, Phase phase, std::string_view name) const;
  void apply(FaultReport& report, int64_t step, const std::string& name, const TensorView& view,
             void* writable, const TensorLayout& layout);
  /// Returns the values that `stale` or `dropped_reduction` restores; null if there are none yet, so nothing
  /// changes.
  const std::vector<std::byte>* values_before(const Fault& fault, int64_t step, const std::string& name,
                                              const TensorView& view) const;
  [[noreturn]] void refuse_unmet(const Fault& fault, const std::string& where) const;

  int64_t rank_;
  int64_t ranks_;
  std::vector<FaultReport> reports_;
  std::map<Place, Kept> kept_;
  std::set<size_t> met_;                            ///< faults that matched a tensor at this step
  std::map<Phase, std::set<std::string>> offered_;  ///< names offered at this step, for messages
};

}  // namespace parity::trace
