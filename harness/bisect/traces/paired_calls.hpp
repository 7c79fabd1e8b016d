// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/traces/first_bad_operator.hpp"
#include "harness/bisect/traces/operator_calls.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// Returns the module of a tensor; for a weight, the module that has it.
std::string module_of_tensor(const trace::TensorKey& key);

/// The calls of a step on one rank of both sides, up to a tensor, and which belongs to which.
class PairedCalls {
 public:
  /// \param end  the tensor; both traces must outlive the object
  PairedCalls(const trace::Trace& expected, const trace::Trace& actual, const trace::TensorKey& end,
              int64_t rank);

  /// Returns whether the first side recorded no call before the tensor.
  bool is_empty() const { return end_ == 0; }
  /// Returns whether the sides cut their batches into different numbers of micro-batches. Their calls then do
  /// not belong to each other one by one.
  bool are_cut_otherwise() const;
  /// Returns whether one side runs a call that the other does not.
  bool is_one_sided() const;

  /// Returns the first call before the tensor that differs. An operator that runs in place of another is
  /// named only if its module may compute `first`.
  /// \param is_unclear  becomes true if a call cannot be compared: a slot of one side, or other shapes
  std::optional<FirstBadOperator> find(const trace::TensorKey& first, bool& is_unclear) const;

  /// Returns the call that only one side runs and that computed a tensor whose digests these are.
  std::optional<FirstBadOperator> one_sided_source(const measure::Digest& mine,
                                                   const measure::Digest& theirs) const;

 private:
  FirstBadOperator at(const OperatorCall& call, const OperatorCall& partner, const OperatorCall::Slot& slot,
                      const OperatorCall::Slot& other) const;
  std::string in_its_place(size_t i) const;

  const trace::Trace& expected_;
  std::vector<OperatorCall> mine_, theirs_;
  std::vector<std::optional<size_t>> partners_;
  std::vector<bool> is_paired_;
  size_t end_ = 0, their_end_ = 0;
};

}  // namespace parity::bisect
