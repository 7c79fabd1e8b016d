// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/operator_calls.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace parity::bisect {
namespace {

using CallList = std::vector<OperatorCall>;
using Indices = std::vector<size_t>;
using Partners = std::vector<std::optional<size_t>>;

constexpr size_t most_cells = 4'000'000;  // of the table of subsequences

/// Returns the indices of the calls of each phase and module.
std::map<std::pair<trace::Phase, std::string>, Indices> calls_by_module(const CallList& calls) {
  std::map<std::pair<trace::Phase, std::string>, Indices> groups;
  for (size_t i = 0; i < calls.size(); ++i)
    groups[{calls[i].phase(), calls[i].module()}].push_back(i);
  return groups;
}

/// Returns what a pair counts: nothing if the calls are not of one kind; more with each equal tensor.
int64_t weight_of(const OperatorCall& a, const OperatorCall& b) {
  if (a.op() != b.op() || a.slots.size() != b.slots.size())
    return 0;
  int64_t equal = 0;
  for (const OperatorCall::Slot& mine : a.slots) {
    const OperatorCall::Slot* theirs = b.find(mine.tensor.slot);
    if (theirs == nullptr || theirs->shape != mine.shape)
      return 0;
    equal += mine.row->digest == theirs->row->digest ? 1 : 0;
  }
  constexpr int64_t of_equal = 1000;
  return of_equal + of_equal * equal / static_cast<int64_t>(a.slots.size());
}

/// The pairs of two sequences of calls in one module and phase.
class Pairing {
 public:
  Pairing(const CallList& calls, const Indices& mine, const CallList& others, const Indices& theirs)
      : calls_(calls), others_(others), mine_(mine), theirs_(theirs) {}

  void write_to(Partners& partners) const {
    if (run_same_operators()) {
      for (size_t i = 0; i < mine_.size(); ++i)
        partners[mine_[i]] = theirs_[i];
      return;
    }
    if (mine_.size() * theirs_.size() > most_cells)
      pair_by_number(partners);
    else
      pair_by_subsequence(partners);
  }

 private:
  const OperatorCall& my(size_t i) const { return calls_[mine_[i]]; }
  const OperatorCall& their(size_t j) const { return others_[theirs_[j]]; }

  bool run_same_operators() const {
    return std::ranges::equal(mine_, theirs_,
                              [&](size_t i, size_t j) { return calls_[i].op() == others_[j].op(); });
  }

  void pair_by_number(Partners& partners) const {
    for (size_t i = 0; i < std::min(mine_.size(), theirs_.size()); ++i)
      if (weight_of(my(i), their(i)) > 0)
        partners[mine_[i]] = theirs_[i];
  }

  void pair_by_subsequence(Partners& partners) const {
    const size_t rows = mine_.size(), columns = theirs_.size();
    // best[i][j]: what the pairs of the calls from i and from j on count
    std::vector<std::vector<int64_t>> best(rows + 1, std::vector<int64_t>(columns + 1, 0));
    for (size_t i = rows; i-- > 0;)
      for (size_t j = columns; j-- > 0;) {
        const int64_t weight = weight_of(my(i), their(j));
        best[i][j] = std::max({best[i + 1][j], best[i][j + 1], weight > 0 ? weight + best[i + 1][j + 1] : 0});
      }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (best[i][j] == best[i][j + 1])
        ++j;
      else if (best[i][j] == best[i + 1][j])
        ++i;
      else
        partners[mine_[i++]] = theirs_[j++];
    }
  }

  const CallList &calls_, &others_;
  const Indices &mine_, &theirs_;
};

}  // namespace

const OperatorCall::Slot* OperatorCall::find(const std::string& slot) const {
  const auto found = std::ranges::find(slots, slot, [](const Slot& each) { return each.tensor.slot; });
  return found == slots.end() ? nullptr : &*found;
}

const trace::RankRow* rank_row_of(const trace::Trace& trace, const trace::TensorKey& key, int64_t rank) {
  const auto found = trace.rank_rows().find(key);
  if (found == trace.rank_rows().end())
    return nullptr;
  const auto row = std::ranges::find(found->second, rank, &trace::RankRow::rank);
  return row == found->second.end() ? nullptr : &*row;
}

std::vector<OperatorCall> calls_of_step(const trace::Trace& trace, int64_t step, int64_t rank) {
  std::map<std::tuple<trace::Phase, std::string, int64_t, std::string>, OperatorCall> by_number;
  for (const auto& [key, rows] : trace.rank_rows()) {
    auto tensor = key.step == step ? trace::parse_operator_tensor(key.name) : std::nullopt;
    const trace::RankRow* row = tensor ? rank_row_of(trace, key, rank) : nullptr;
    if (row == nullptr)
      continue;
    const trace::SketchRow* sketch = trace.find_sketch(key);
    by_number[{key.phase, tensor->module, tensor->number, tensor->op}].slots.push_back(
        {.key = key,
         .tensor = *tensor,
         .row = row,
         .shape = sketch == nullptr ? std::vector<int64_t>() : sketch->shape,
         .is_number = sketch != nullptr && sketch->shape.empty()});
  }
  std::vector<OperatorCall> calls;
  for (auto& [place, call] : by_number) {
    std::ranges::stable_sort(call.slots, {}, [](const auto& slot) { return slot.row->order; });
    calls.push_back(std::move(call));
  }
  std::ranges::stable_sort(calls, {},
                           [](const OperatorCall& call) { return std::pair(call.phase(), call.order()); });
  return calls;
}

std::vector<std::optional<size_t>> pair_calls(const std::vector<OperatorCall>& calls,
                                              const std::vector<OperatorCall>& others) {
  Partners partners(calls.size());
  const auto mine = calls_by_module(calls), theirs = calls_by_module(others);
  for (const auto& [place, indices] : mine)
    if (const auto found = theirs.find(place); found != theirs.end())
      Pairing(calls, indices, others, found->second).write_to(partners);
  return partners;
}

}  // namespace parity::bisect
