// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/joined_operators.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/json/fields.hpp"
#include "harness/bisect/traces/joined_calls.hpp"
#include "harness/bisect/traces/scalar_arguments.hpp"
#include "harness/bisect/traces/tensor_pieces.hpp"
#include "harness/compare/sides/residues.hpp"

namespace parity::bisect {
namespace {

using trace::Phase;

/// Returns the module of a tensor; for a weight or its state, the module that has it.
std::string region_of(const trace::TensorKey& key) {
  std::string name = key.phase == Phase::optim ? key.name.substr(key.name.find('/') + 1) : key.name;
  constexpr std::string_view weight = ".weight";
  if (name.ends_with(weight))
    name.resize(name.size() - weight.size());
  if (key.phase == Phase::grad_clipped)
    return "clip";
  return key.phase == Phase::optim || key.phase == Phase::param ? "optimizer" : name;
}

/// Returns whether the results on shards of the inputs are shards or terms of the whole result. That of a
/// norm, a maximum or a mean is neither, nor is a softmax along the dimension that is cut.
bool keeps_shards(const std::string& op, bool is_of_whole_shape) {
  const auto has = [&](const char* word) { return op.find(word) != std::string::npos; };
  for (const char* along : {"softmax", "cumsum", "sort", "topk"})
    if (has(along))
      return false;
  if (!is_of_whole_shape)
    return true;
  for (const char* linear :
       {"::mm", "::bmm", "::addmm", "::matmul", "::linear", "::sum", "embedding_dense_backward"})
    if (has(linear))
      return true;
  return false;
}

/// Returns the prime of a trace's residues; 0 if it has none.
uint64_t prime_of(const trace::Trace& trace) {
  const Json draw = compare::draw_of(trace);
  return draw.is_null() ? 0 : std::stoull(text_or(draw, "prime", "0"));
}

/// What a logical call shows.
enum class Outcome { agrees, inputs_unknown, result_differs };

class LogicalCall {
 public:
  LogicalCall(const trace::Trace& expected, const CallsOfRanks& mine, const trace::Trace& actual,
              const CallsOfRanks& theirs, size_t i, size_t count)
      : expected_(expected), mine_(mine), actual_(actual), theirs_(theirs), i_(i), count_(count) {}

  /// \param slot  set to that of the result which differs
  Outcome judge(const std::string& op, double rounding, std::string& slot) const {
    bool has_input = false, has_result = false, is_cut = false;
    for (const auto& [name, key] : first_call()) {  // inputs come first
      const bool is_result = name.starts_with("out.");
      const TensorPieces a = pieces_of(expected_, mine_, i_, count_, name),
                         b = pieces_of(actual_, theirs_, i_, count_, name);
      if (a.empty() || b.empty())
        return Outcome::inputs_unknown;
      const bool is_whole = a.front().front().shape == b.front().front().shape;
      const std::optional<bool> agrees = pieces_agree(a, b, rounding, prime_of(expected_));
      if (!agrees || (!is_result && !*agrees) || (is_result && is_cut && !keeps_shards(op, is_whole)))
        return Outcome::inputs_unknown;
      is_cut = is_cut || (!is_result && !is_whole);
      has_input = has_input || !is_result;
      has_result = has_result || is_result;
      if (is_result && !*agrees)
        slot = name;
    }
    const auto& slots = first_call();
    const bool overwrites_unknown = slots.contains("out.self") && !slots.contains("in.self");
    if (!has_input || !has_result || overwrites_unknown)
      return Outcome::inputs_unknown;
    return slot.empty() ? Outcome::agrees : Outcome::result_differs;
  }
  const CallSlots& first_call() const { return mine_.begin()->second.at(i_); }

 private:
  const trace::Trace& expected_;
  const CallsOfRanks& mine_;
  const trace::Trace& actual_;
  const CallsOfRanks& theirs_;
  size_t i_, count_;
};

/// Returns the place, in the order of execution, of a tensor that an operator of a side gives or receives.
int64_t execution_order(const trace::Trace& trace, const trace::TensorKey& key) {
  return trace.rank_rows().at(key).front().order;
}

/// Returns the place of the last result of the actual side that, joined, is the tensor that it should have:
/// what went before computed it right. Nothing if it has no such result, or the tensor is all zero or
/// unknown.
std::optional<int64_t> computed_right_at(const trace::Trace& expected, const JoinedCalls& mine,
                                         const trace::Trace& actual, const JoinedCalls& theirs,
                                         const trace::TensorKey& first, double rounding) {
  const trace::SketchRow* row = expected.find_sketch(first);
  if (row == nullptr || !(row->norm > 0) || !expected.has_tensor(first))
    return std::nullopt;
  const TensorPieces right = {{expected.tensor(first)}};
  std::optional<int64_t> last;
  for (const auto& [place, ranks] : theirs) {
    const size_t calls = calls_of_a_rank(ranks).value_or(0);
    std::set<size_t> counts = {calls};  // of logical calls; the other calls are those of micro-batches
    if (const auto own = mine.find(place); own != mine.end())
      counts.insert(calls_of_a_rank(own->second).value_or(calls));
    for (const size_t count : counts)
      for (size_t i = 0; count > 0 && count <= calls && calls % count == 0 && i < count; ++i)
        for (const auto& [slot, key] : ranks.begin()->second.at(calls - count + i)) {
          const int64_t order = execution_order(actual, key);
          if (!slot.starts_with("out.") || (last && order <= *last))
            continue;
          const TensorPieces pieces = pieces_of(actual, ranks, i, count, slot);
          if (!pieces.empty() && pieces_agree(right, pieces, rounding, prime_of(expected)).value_or(false))
            last = order;
        }
  }
  return last;
}

/// Returns whether an operator only moves or makes values, as a layout may need it.
bool only_moves(const std::string& op) {
  for (const char* name : {"::clone", "::copy_", "::_to_copy", "::contiguous", "::cat", "::stack", "::split",
                           "::zeros", "::ones", "::full", "::fill_", "::zero_", "::index", "c10d::"})
    if (op.find(name) != std::string::npos)
      return true;
  return false;
}

/// Returns whether a side runs any operator between a place and a tensor, also one that only moves values.
bool runs_between(const trace::Trace& trace, const JoinedCalls& calls, int64_t after,
                  const trace::TensorKey& first) {
  const auto end = trace.rank_rows().find(first);
  if (end == trace.rank_rows().end())
    return true;
  for (const auto& [place, ranks] : calls)
    for (const CallSlots& call : ranks.begin()->second)
      for (const auto& [slot, key] : call)
        if (execution_order(trace, key) > after && execution_order(trace, key) < end->second.front().order)
          return true;
  return false;
}

/// Returns whether an operator joins tensors. Which ones it gets follows from the layout.
bool joins_tensors(const std::string& op) {
  return op.find("::cat") != std::string::npos || op.find("::stack") != std::string::npos;
}

/// Returns the first operator of a side before a tensor that the other side does not run in its module.
/// \param after  a place in the order of execution, before which operators do not count
std::optional<std::pair<std::string, std::string>> first_alone(const trace::Trace& trace,
                                                               const JoinedCalls& mine,
                                                               const JoinedCalls& theirs,
                                                               const trace::TensorKey& first,
                                                               std::optional<int64_t> after = {}) {
  const auto end = trace.rank_rows().find(first);
  if (end == trace.rank_rows().end())
    return std::nullopt;
  int64_t least = end->second.front().order;
  std::optional<std::pair<std::string, std::string>> found;
  for (const auto& [place, ranks] : mine) {
    const trace::TensorKey& key = ranks.begin()->second.front().begin()->second;
    const int64_t order = execution_order(trace, key);
    if (!theirs.contains(place) && !only_moves(place.second) && order < least && (!after || order > *after)) {
      least = order;
      found = place;
    }
  }
  return found;
}

/// Returns the operators at which the sides run different ones before the tensor, in the module that has it.
/// \param right_at  where the actual side has the right value: an operator that changes it comes later
std::optional<FirstBadOperator> find_others(const trace::Trace& expected, const JoinedCalls& mine,
                                            const trace::Trace& actual, const JoinedCalls& theirs,
                                            const trace::TensorKey& first, std::optional<int64_t> right_at) {
  const auto own = right_at ? std::nullopt : first_alone(expected, mine, theirs, first),
             other = first_alone(actual, theirs, mine, first, right_at);
  if ((!own && !other) || (own && other && own->first != other->first))
    return std::nullopt;
  FirstBadOperator guilty;
  guilty.kind = FirstBadOperator::Kind::others;
  guilty.module = (own ? own : other)->first;
  guilty.op = own ? own->second : FirstBadOperator::no_operator;
  guilty.other_op = other ? other->second : FirstBadOperator::no_operator;
  return guilty;
}

/// Returns the operator of a number that differs and must not, at the place of the first tensor.
std::optional<FirstBadOperator> find_scalar(const trace::Trace& expected, const trace::Trace& actual,
                                            int64_t step, Phase phase, const std::string& module) {
  for (const ScalarDifference& each : compare_scalars(expected, actual, step))
    if (each.phase == phase && is_free_of_layout(each) && is_within(each.module, module)) {
      FirstBadOperator guilty;
      guilty.kind = FirstBadOperator::Kind::reads;
      guilty.module = each.module;
      guilty.op = each.op;
      guilty.slot = each.argument;
      guilty.numbers = each.numbers();
      return guilty;
    }
  return std::nullopt;
}

}  // namespace

Phase operators_phase(Phase phase) {
  if (phase == Phase::grad_local || phase == Phase::grad)
    return Phase::backward;
  return phase == Phase::param ? Phase::optim : phase;
}

std::optional<FirstBadOperator> find_joined_operator(const trace::Trace& expected, const trace::Trace& actual,
                                                     const trace::TensorKey& first, double rounding) {
  const Phase phase = operators_phase(first.phase);
  const std::string module = region_of(first);
  if (auto scalar = find_scalar(expected, actual, first.step, phase, module))
    return scalar;
  const JoinedCalls mine = joined_calls(expected, first.step, phase, module),
                    theirs = joined_calls(actual, first.step, phase, module);
  const std::optional<int64_t> right_at = computed_right_at(expected, mine, actual, theirs, first, rounding);
  std::optional<FirstBadOperator> guilty;
  int64_t least = 0;  // of the order of execution
  for (const auto& [place, ranks] : mine) {
    const auto other = theirs.find(place);
    const auto count_a = calls_of_a_rank(ranks),
               count_b = other == theirs.end() ? std::nullopt : calls_of_a_rank(other->second);
    if (!count_a || !count_b || std::max(*count_a, *count_b) % std::min(*count_a, *count_b) != 0 ||
        joins_tensors(place.second))
      continue;
    const size_t count = std::min(*count_a, *count_b);
    for (size_t i = 0; i < count; ++i) {
      const LogicalCall call(expected, ranks, actual, other->second, i, count);
      std::string slot;
      if (call.judge(place.second, rounding, slot) != Outcome::result_differs)
        continue;
      const trace::TensorKey& key = call.first_call().at(slot);
      const int64_t order = execution_order(expected, key);
      const auto& of_actual = other->second.begin()->second.at(i);
      if ((guilty && order >= least) ||
          (right_at && execution_order(actual, of_actual.at(slot)) <= *right_at))
        continue;
      least = order;
      guilty.emplace();
      guilty->module = place.first;
      guilty->op = place.second;
      guilty->slot = slot.substr(slot.find('.') + 1);
      guilty->key = key;
    }
  }
  if (!guilty && module != "clip")  // how the norm is taken follows from the layout
    guilty = find_others(expected, mine, actual, theirs, first, right_at);
  if (!guilty && right_at && !runs_between(actual, theirs, *right_at, first)) {
    guilty.emplace();
    guilty->kind = FirstBadOperator::Kind::written;
    guilty->module = module;
  }
  return guilty;
}

}  // namespace parity::bisect
