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

namespace parity {

/// Applies the faults of a capture to one rank's tensors as they are offered.
///
/// A fault changes memory that the trainer goes on with: gradients before the optimizer, parameters after it
/// or, at step 0, before the first forward pass. Several faults of one tensor are applied in their order.
class FaultInjector {
 public:
  /// \param ranks  of the run. \throws UserError if a fault names a rank that is not there
  FaultInjector(const std::vector<Fault>& faults, int64_t rank, int64_t ranks);

  /// Whether offering this tensor would change or remember it.
  bool wants(int64_t step, Phase phase, std::string_view name) const;
  /// \param writable  the trainer's memory of the tensor; null: what is changed would not reach the training
  /// \throws UserError if a fault is of this tensor and cannot be applied
  void offer(int64_t step, Phase phase, const std::string& name, const TensorView& view, void* writable,
             const TensorLayout& layout);
  /// \throws UserError if a fault of this step and rank met no tensor. With several ranks only those that
  /// name one are held to that: another rank may have the tensor.
  void end_step(int64_t step);
  /// The same for faults of every step, once the run has ended.
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
  /// What `stale` or `dropped_reduction` puts in place; null: there is nothing yet, and nothing is to be
  /// done.
  const std::vector<std::byte>* values_before(const Fault& fault, int64_t step, const std::string& name,
                                              const TensorView& view) const;
  [[noreturn]] void refuse_unmet(const Fault& fault, const std::string& where) const;

  int64_t rank_;
  int64_t ranks_;
  std::vector<FaultReport> reports_;
  std::map<Place, Kept> kept_;
  std::set<size_t> met_;                            ///< faults that met a tensor at this step
  std::map<Phase, std::set<std::string>> offered_;  ///< at this step, for messages
};

}  // namespace parity
