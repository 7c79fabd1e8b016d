// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/first_bad_operator.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/compare/sides/residues.hpp"
#include "harness/compare/traces/collectives.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::bisect {
namespace {

using Operators = std::vector<std::pair<trace::TensorKey, trace::OperatorTensor>>;

/// Returns the module of a tensor; for a weight, the module that has it.
std::string module_of(const trace::TensorKey& key) {
  std::string name = key.name;
  if (key.phase == trace::Phase::optim)
    name = name.substr(name.find('/') + 1);
  constexpr std::string_view weight = ".weight";
  if (name.ends_with(weight))
    name.resize(name.size() - weight.size());
  return name;
}

void add_with_those_around(std::set<std::string>& modules, std::string module) {
  while (true) {
    modules.insert(module);
    const size_t dot = module.rfind('.');
    if (dot == std::string::npos)
      return;
    module.resize(dot);
  }
}

FirstBadOperator guilty_of(const trace::OperatorTensor& tensor, const trace::TensorKey& key) {
  FirstBadOperator guilty;
  guilty.kind = tensor.is_output() ? FirstBadOperator::Kind::computes : FirstBadOperator::Kind::reads;
  guilty.module = tensor.module;
  guilty.op = tensor.op;
  guilty.slot = tensor.slot.substr(tensor.slot.find('.') + 1);
  guilty.key = key;
  return guilty;
}

/// Returns what one rank recorded of a tensor; null if nothing.
const trace::RankRow* row_of(const trace::Trace& trace, const trace::TensorKey& key, int64_t rank) {
  const auto found = trace.rank_rows().find(key);
  if (found == trace.rank_rows().end())
    return nullptr;
  const auto row = std::ranges::find(found->second, rank, &trace::RankRow::rank);
  return row == found->second.end() ? nullptr : &*row;
}

/// Returns the operators' tensors that a rank recorded before another tensor, in its order.
Operators operators_before(const trace::Trace& trace, const trace::TensorKey& end, int64_t rank) {
  struct Entry {
    trace::TensorKey key;
    trace::OperatorTensor tensor;
    int64_t order;
  };
  std::vector<Entry> entries;
  const trace::RankRow* last = row_of(trace, end, rank);
  for (const auto& [key, rows] : trace.rank_rows()) {
    const auto tensor = trace::parse_operator_tensor(key.name);
    const trace::RankRow* row = tensor && key.step == end.step ? row_of(trace, key, rank) : nullptr;
    const bool is_before =
        row != nullptr &&
        (key.phase < end.phase || (key.phase == end.phase && last != nullptr && row->order < last->order));
    if (is_before)
      entries.push_back({key, *tensor, row->order});
  }
  std::ranges::stable_sort(entries, {},
                           [](const Entry& entry) { return std::pair(entry.key.phase, entry.order); });
  Operators result;
  for (Entry& entry : entries)
    result.emplace_back(std::move(entry.key), std::move(entry.tensor));
  return result;
}

bool has_one_shape(const trace::Trace& a, const trace::Trace& b, const trace::TensorKey& key) {
  const trace::SketchRow *one = a.find_sketch(key), *other = b.find_sketch(key);
  return one == nullptr || other == nullptr || one->shape == other->shape;
}

/// Returns whether an operator's module computes a tensor: it is the tensor's, one in it, or one around it.
bool may_compute(const trace::OperatorTensor& tensor, const trace::TensorKey& key,
                 const trace::TensorKey& first) {
  const std::string own = module_of(first);
  const bool is_region = first.phase >= trace::Phase::grad && key.phase >= trace::Phase::grad;
  return is_region || tensor.module == own || own.starts_with(tensor.module + ".") ||
         tensor.module.starts_with(own + ".");
}

/// Returns whether a tensor of an exact twin is a decision, which has no residues: indices or truth values.
bool is_decision(const trace::Trace& trace, const trace::TensorKey& key) {
  const trace::SketchRow* row = trace.find_sketch(key);
  return row != nullptr && row->dtype != DType::residue64 && !is_floating(row->dtype) &&
         !compare::draw_of(trace).is_null();
}

/// Returns the first number that an operator receives and that differs. It says more than a tensor does.
std::optional<FirstBadOperator> other_number(const trace::Trace& a, const trace::Trace& b,
                                             const Operators& operators, const trace::OperatorTensor& of,
                                             int64_t rank) {
  for (const auto& [key, tensor] : operators) {
    const bool is_its_own = tensor.module == of.module && tensor.number == of.number && tensor.op == of.op &&
                            tensor.rank == of.rank && !tensor.is_output();
    const trace::SketchRow* row = is_its_own ? a.find_sketch(key) : nullptr;
    if (row == nullptr || !row->shape.empty())
      continue;
    const trace::RankRow *mine = row_of(a, key, rank), *theirs = row_of(b, key, rank);
    if (mine == nullptr || theirs == nullptr || mine->digest == theirs->digest)
      continue;
    FirstBadOperator guilty = guilty_of(tensor, key);
    guilty.numbers = fmt::format("{} against {}", mine->norm, theirs->norm);
    return guilty;
  }
  return std::nullopt;
}

/// Returns the operator that the second side runs in place of an operator; "" if it runs the same, or none.
std::string other_operator(const trace::Trace& trace, const trace::TensorKey& key,
                           const trace::OperatorTensor& mine) {
  for (const auto& [theirs, rows] : trace.rank_rows()) {
    const auto other = theirs.step == key.step && theirs.phase == key.phase
                           ? trace::parse_operator_tensor(theirs.name)
                           : std::nullopt;
    if (other && other->module == mine.module && other->number == mine.number && other->rank == mine.rank &&
        other->op != mine.op)
      return other->op;
  }
  return "";
}

}  // namespace

std::optional<trace::CaptureRule> operators_to_watch(const trace::TensorKey& first,
                                                     const std::optional<trace::TensorKey>& last_equal) {
  if (first.step == 0 || first.phase == trace::Phase::input)
    return std::nullopt;
  std::set<std::string> modules = {"data", "loss", "reduction", "clip", "optimizer"};
  add_with_those_around(modules, module_of(first));
  if (last_equal)
    add_with_those_around(modules, module_of(*last_equal));
  trace::CaptureRule rule;
  rule.steps = {first.step};
  rule.names.assign(modules.begin(), modules.end());
  return rule;
}

std::optional<FirstBadOperator> find_first_bad_operator(const trace::Trace& expected,
                                                        const trace::Trace& actual,
                                                        const trace::TensorKey& first, int64_t rank) {
  const auto operators = operators_before(expected, first, rank);
  if (operators.empty())
    return std::nullopt;
  bool is_unpaired = false;
  for (const auto& [key, tensor] : operators) {
    const trace::RankRow *mine = row_of(expected, key, rank), *theirs = row_of(actual, key, rank);
    if (theirs != nullptr && theirs->digest == mine->digest)
      continue;
    if (theirs != nullptr && !has_one_shape(expected, actual, key))
      return std::nullopt;
    FirstBadOperator guilty = guilty_of(tensor, key);
    guilty.decides = is_decision(expected, key);
    if (theirs != nullptr)
      return other_number(expected, actual, operators, tensor, rank).value_or(guilty);
    guilty.other_op = other_operator(actual, key, tensor);
    guilty.kind = FirstBadOperator::Kind::others;
    is_unpaired = true;
    if (!guilty.other_op.empty() && may_compute(tensor, key, first))
      return guilty;
  }
  if (is_unpaired)
    return std::nullopt;
  FirstBadOperator guilty;
  guilty.kind = FirstBadOperator::Kind::written;
  guilty.module = module_of(first);
  return guilty;
}

std::string FirstBadOperator::text() const {
  const std::string where = key && key->phase == trace::Phase::backward ? " in backward" : "";
  switch (kind) {
    case Kind::computes:
      if (decides)
        return fmt::format(
            "{} of {}{} decides otherwise about numbers with equal residues, because their values "
            "round differently",
            op, module, where);
      if (module == compare::collective_module)
        return fmt::format("{}{} gives this rank other bytes for the bytes that it put in", op, where);
      return fmt::format("{} of {}{} gives a different result from the same inputs", op, module, where);
    case Kind::reads:
      return fmt::format("{} of {}{} receives a different {}{}", op, module, where, slot,
                         numbers.empty() ? ", which no earlier operator computed" : ": " + numbers);
    case Kind::written:
      return "no operator computes it differently: it was changed after it was computed";
    case Kind::others:
      return fmt::format("the sides run different operators from here: {} of {}{} against {}", op, module,
                         where, other_op);
  }
  return "";
}

Json FirstBadOperator::to_json() const {
  constexpr std::array<const char*, 4> kinds = {"computes", "reads", "written", "others"};
  return {{"kind", kinds.at(static_cast<size_t>(kind))},
          {"module", module},
          {"op", op},
          {"slot", slot},
          {"other_op", other_op},
          {"numbers", numbers},
          {"tensor", key ? Json(key->name) : Json()}};
}

}  // namespace parity::bisect
