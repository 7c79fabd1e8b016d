// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/joined_calls.hpp"

#include <tuple>

#include "harness/trace/format/operator_tensor.hpp"

namespace parity::bisect {

bool is_within(const std::string& module, const std::string& outer) {
  return module == outer || module.starts_with(outer + ".") || outer.starts_with(module + ".");
}

JoinedCalls joined_calls(const trace::Trace& trace, int64_t step, trace::Phase phase,
                         const std::string& module) {
  JoinedCalls calls;
  std::map<std::tuple<std::string, std::string, int64_t, int64_t>, CallSlots> by_number;
  for (const auto& [key, rows] : trace.rank_rows()) {
    const auto tensor =
        key.step == step && key.phase == phase ? trace::parse_operator_tensor(key.name) : std::nullopt;
    if (!tensor || !is_within(tensor->module, module))
      continue;
    by_number[{tensor->module, tensor->op, tensor->rank.value_or(0), tensor->number}].emplace(tensor->slot,
                                                                                              key);
  }
  for (auto& [place, call] : by_number)
    calls[{std::get<0>(place), std::get<1>(place)}][std::get<2>(place)].push_back(std::move(call));
  return calls;
}

std::optional<size_t> calls_of_a_rank(const CallsOfRanks& ranks) {
  std::optional<size_t> count;
  for (const auto& [rank, calls] : ranks) {
    if (count && *count != calls.size())
      return std::nullopt;
    count = calls.size();
  }
  return count;
}

TensorPieces pieces_of(const trace::Trace& trace, const CallsOfRanks& ranks, size_t i, size_t count,
                       const std::string& slot) {
  TensorPieces pieces;
  for (const auto& [rank, calls] : ranks) {
    pieces.emplace_back();
    for (size_t at = i; at < calls.size(); at += count) {
      const auto found = calls[at].find(slot);
      if (found == calls[at].end() || !trace.has_tensor(found->second))
        return {};
      pieces.back().push_back(trace.tensor(found->second));
    }
  }
  return pieces;
}

}  // namespace parity::bisect
