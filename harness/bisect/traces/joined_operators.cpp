// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/joined_operators.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/json/fields.hpp"
#include "harness/bisect/traces/scalar_arguments.hpp"
#include "harness/bisect/traces/tensor_pieces.hpp"
#include "harness/compare/sides/residues.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::bisect {
namespace {

using trace::Phase;

/// One call of an operator on one rank: its tensors by slot.
struct Call {
  int64_t number = 0;  ///< among the operators of its module
  std::map<std::string, trace::TensorKey> slots;
};
/// Module and operator -> rank -> its calls in order.
using Calls = std::map<std::pair<std::string, std::string>, std::map<int64_t, std::vector<Call>>>;

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

bool is_within(const std::string& module, const std::string& outer) {
  return module == outer || module.starts_with(outer + ".") || outer.starts_with(module + ".");
}

Calls calls_of(const trace::Trace& trace, int64_t step, Phase phase, const std::string& module) {
  Calls calls;
  std::map<std::tuple<std::string, std::string, int64_t, int64_t>, Call> by_number;
  for (const auto& [key, rows] : trace.rank_rows()) {
    const auto tensor =
        key.step == step && key.phase == phase ? trace::parse_operator_tensor(key.name) : std::nullopt;
    if (!tensor || !is_within(tensor->module, module))
      continue;
    Call& call = by_number[{tensor->module, tensor->op, tensor->rank.value_or(0), tensor->number}];
    call.number = tensor->number;
    call.slots.emplace(tensor->slot, key);
  }
  for (auto& [place, call] : by_number)
    calls[{std::get<0>(place), std::get<1>(place)}][std::get<2>(place)].push_back(std::move(call));
  return calls;
}

/// Returns the number of calls that each rank makes; nothing if ranks make different numbers.
std::optional<size_t> calls_of_a_rank(const std::map<int64_t, std::vector<Call>>& ranks) {
  std::optional<size_t> count;
  for (const auto& [rank, calls] : ranks) {
    if (count && *count != calls.size())
      return std::nullopt;
    count = calls.size();
  }
  return count;
}

/// Returns a tensor's pieces in the i-th of `count` logical calls, by rank and then by micro-batch. Empty if
/// a piece was not recorded with its values.
TensorPieces pieces_of(const trace::Trace& trace, const std::map<int64_t, std::vector<Call>>& ranks, size_t i,
                       size_t count, const std::string& slot) {
  TensorPieces pieces;
  for (const auto& [rank, calls] : ranks) {
    pieces.emplace_back();
    for (size_t at = i; at < calls.size(); at += count) {
      const auto found = calls[at].slots.find(slot);
      if (found == calls[at].slots.end() || !trace.has_tensor(found->second))
        return {};
      pieces.back().push_back(trace.tensor(found->second));
    }
  }
  return pieces;
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
  LogicalCall(const trace::Trace& expected, const std::map<int64_t, std::vector<Call>>& mine,
              const trace::Trace& actual, const std::map<int64_t, std::vector<Call>>& theirs, size_t i,
              size_t count)
      : expected_(expected), mine_(mine), actual_(actual), theirs_(theirs), i_(i), count_(count) {}

  /// \param slot  set to that of the result which differs
  Outcome judge(const std::string& op, double rounding, std::string& slot) const {
    bool has_input = false, has_result = false, is_cut = false;
    for (const auto& [name, key] : first_call().slots) {  // inputs come first
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
    if (!has_input || !has_result)
      return Outcome::inputs_unknown;
    return slot.empty() ? Outcome::agrees : Outcome::result_differs;
  }
  const Call& first_call() const { return mine_.begin()->second.at(i_); }

 private:
  const trace::Trace& expected_;
  const std::map<int64_t, std::vector<Call>>& mine_;
  const trace::Trace& actual_;
  const std::map<int64_t, std::vector<Call>>& theirs_;
  size_t i_, count_;
};

/// Returns whether an operator only moves or makes values, as a layout may need it.
bool only_moves(const std::string& op) {
  for (const char* name : {"::clone", "::copy_", "::_to_copy", "::contiguous", "::cat", "::stack", "::split",
                           "::zeros", "::ones", "::full", "::fill_", "::zero_", "::index", "c10d::"})
    if (op.find(name) != std::string::npos)
      return true;
  return false;
}

/// Returns the first operator of a side before a tensor that the other side does not run in its module.
std::optional<std::pair<std::string, std::string>> first_alone(const trace::Trace& trace, const Calls& mine,
                                                               const Calls& theirs,
                                                               const trace::TensorKey& first) {
  const auto end = trace.rank_rows().find(first);
  if (end == trace.rank_rows().end())
    return std::nullopt;
  int64_t least = end->second.front().order;
  std::optional<std::pair<std::string, std::string>> found;
  for (const auto& [place, ranks] : mine) {
    const trace::TensorKey& key = ranks.begin()->second.front().slots.begin()->second;
    const int64_t order = trace.rank_rows().at(key).front().order;
    if (!theirs.contains(place) && !only_moves(place.second) && order < least) {
      least = order;
      found = place;
    }
  }
  return found;
}

/// Returns the operators at which the sides run different ones before the tensor, in the module that has it.
std::optional<FirstBadOperator> find_others(const trace::Trace& expected, const Calls& mine,
                                            const trace::Trace& actual, const Calls& theirs,
                                            const trace::TensorKey& first) {
  const auto own = first_alone(expected, mine, theirs, first),
             other = first_alone(actual, theirs, mine, first);
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
  const Calls mine = calls_of(expected, first.step, phase, module),
              theirs = calls_of(actual, first.step, phase, module);
  std::optional<FirstBadOperator> guilty;
  int64_t least = 0;  // of the order of execution
  for (const auto& [place, ranks] : mine) {
    const auto other = theirs.find(place);
    const auto count_a = calls_of_a_rank(ranks),
               count_b = other == theirs.end() ? std::nullopt : calls_of_a_rank(other->second);
    if (!count_a || !count_b || std::max(*count_a, *count_b) % std::min(*count_a, *count_b) != 0)
      continue;
    const size_t count = std::min(*count_a, *count_b);
    for (size_t i = 0; i < count; ++i) {
      const LogicalCall call(expected, ranks, actual, other->second, i, count);
      std::string slot;
      if (call.judge(place.second, rounding, slot) != Outcome::result_differs)
        continue;
      const trace::TensorKey& key = call.first_call().slots.at(slot);
      const int64_t order = expected.rank_rows().at(key).front().order;
      if (guilty && order >= least)
        continue;
      least = order;
      guilty.emplace();
      guilty->module = place.first;
      guilty->op = place.second;
      guilty->slot = slot.substr(slot.find('.') + 1);
      guilty->key = key;
    }
  }
  return guilty ? guilty : find_others(expected, mine, actual, theirs, first);
}

}  // namespace parity::bisect
