// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/format/operator_tensor.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// One call of an operator on one rank, with the tensors that the rank recorded of it.
struct OperatorCall {
  struct Slot {
    trace::TensorKey key;
    trace::OperatorTensor tensor;
    const trace::RankRow* row = nullptr;  ///< in the trace, which must outlive it
    std::vector<int64_t> shape = {};      ///< empty if unknown
    bool is_number = false;               ///< a value without dimensions
  };
  std::vector<Slot> slots;  ///< in order of execution: inputs come first

  trace::Phase phase() const { return slots.front().key.phase; }
  int64_t order() const { return slots.front().row->order; }
  const std::string& module() const { return slots.front().tensor.module; }
  const std::string& op() const { return slots.front().tensor.op; }
  const Slot* find(const std::string& slot) const;
};

/// Returns what one rank recorded of a tensor; null if nothing.
const trace::RankRow* rank_row_of(const trace::Trace& trace, const trace::TensorKey& key, int64_t rank);

/// Returns the calls of a step that a rank recorded, in order of execution.
std::vector<OperatorCall> calls_of_step(const trace::Trace& trace, int64_t step, int64_t rank);

/// Returns the partner of each call of one side among those of the other side; nothing where there is none.
///
/// Calls are paired module by module and phase by phase. If both sides run the same sequence of operators,
/// the order pairs them. If one side runs others or more of them, the pairs are the longest common
/// subsequence by operator and shapes that keeps most equal tensors; in doubt the earlier call stays alone,
/// because tensors are equal up to the first difference. Beyond 2000 calls on both sides it pairs by number.
std::vector<std::optional<size_t>> pair_calls(const std::vector<OperatorCall>& calls,
                                              const std::vector<OperatorCall>& others);

}  // namespace parity::bisect
