// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/bisect/traces/tensor_pieces.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// The tensors of one call of an operator on one rank, by slot.
using CallSlots = std::map<std::string, trace::TensorKey>;

/// The calls of one operator in one module, in order: rank -> calls.
using CallsOfRanks = std::map<int64_t, std::vector<CallSlots>>;
/// Module and operator -> its calls.
using JoinedCalls = std::map<std::pair<std::string, std::string>, CallsOfRanks>;

/// Returns whether one of two modules contains the other, or they are the same.
bool is_within(const std::string& module, const std::string& outer);

/// Returns the calls of the operators of a module, and of those around and inside of it.
JoinedCalls joined_calls(const trace::Trace& trace, int64_t step, trace::Phase phase,
                         const std::string& module);

/// Returns the number of calls that each rank makes; nothing if ranks make different numbers.
std::optional<size_t> calls_of_a_rank(const CallsOfRanks& ranks);

/// Returns a tensor's pieces in the i-th of `count` logical calls, by rank and then by micro-batch. Empty if
/// a piece was not recorded with its values.
TensorPieces pieces_of(const trace::Trace& trace, const CallsOfRanks& ranks, size_t i, size_t count,
                       const std::string& slot);

}  // namespace parity::bisect
