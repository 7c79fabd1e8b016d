// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/guilty_operator.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/bisect/tensor_path.hpp"
#include "harness/trace/operator_tensor.hpp"

namespace parity {
namespace {

/// The module that a tensor belongs to: a weight's is the one that has it.
std::string module_of(const TensorKey& key) {
  std::string name = key.name;
  if (key.phase == Phase::optim)
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

std::string where_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "";
    case Phase::backward:
      return " in backward";
    default:
      return "";
  }
}

GuiltyOperator guilty_of(const OperatorTensor& tensor, const TensorKey& key) {
  GuiltyOperator guilty;
  guilty.kind = tensor.is_output() ? GuiltyOperator::Kind::computes : GuiltyOperator::Kind::reads;
  guilty.module = tensor.module;
  guilty.op = tensor.op;
  guilty.slot = tensor.slot.substr(tensor.slot.find('.') + 1);
  guilty.key = key;
  return guilty;
}

bool is_operator(const TensorKey& key) {
  return parse_operator_tensor(key.name).has_value();
}

/// The first operator, in the first side's order, whose place another one has in the second.
std::optional<GuiltyOperator> first_other(const Trace& expected, const Trace& actual, const TensorPath& path,
                                          const TensorKey& first) {
  const std::set<TensorKey> lone(path.only_in_expected.begin(), path.only_in_expected.end());
  for (const TensorKey& key : in_order_of_computation(expected, first.step)) {
    if (key == first)
      return std::nullopt;
    const auto mine = parse_operator_tensor(key.name);
    if (!mine || !lone.contains(key))
      continue;
    for (const TensorKey& theirs : in_order_of_computation(actual, first.step)) {
      const auto other = parse_operator_tensor(theirs.name);
      if (!other || theirs.phase != key.phase || other->module != mine->module ||
          other->number != mine->number || other->op == mine->op)
        continue;
      GuiltyOperator guilty = guilty_of(*mine, key);
      guilty.kind = GuiltyOperator::Kind::others;
      guilty.other_op = other->op;
      return guilty;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<CaptureRule> operators_to_watch(const TensorKey& first,
                                              const std::optional<TensorKey>& last_equal) {
  if (first.step == 0 || first.phase == Phase::input)
    return std::nullopt;
  std::set<std::string> modules = {"data", "loss", "reduction", "clip", "optimizer"};
  add_with_those_around(modules, module_of(first));
  if (last_equal)
    add_with_those_around(modules, module_of(*last_equal));
  CaptureRule rule;
  rule.steps = {first.step};
  rule.names.assign(modules.begin(), modules.end());
  return rule;
}

std::optional<GuiltyOperator> find_guilty_operator(const Trace& expected, const Trace& actual,
                                                   const TensorKey& first) {
  const TensorPath path = compare_path(expected, actual, first.step);
  if (std::ranges::none_of(path.stations, [](const TensorStation& each) { return is_operator(each.key); }))
    return std::nullopt;
  if (auto other = first_other(expected, actual, path, first))
    return other;
  const TensorStation* differs = path.first_difference();
  if (differs == nullptr)
    return std::nullopt;
  if (const auto tensor = parse_operator_tensor(differs->key.name))
    return guilty_of(*tensor, differs->key);
  GuiltyOperator guilty;
  guilty.kind = GuiltyOperator::Kind::written;
  guilty.module = module_of(differs->key);
  return guilty;
}

std::string GuiltyOperator::words() const {
  const std::string where = key ? where_of(key->phase) : "";
  switch (kind) {
    case Kind::computes:
      return fmt::format("{} of {}{} gives another result from the same inputs", op, module, where);
    case Kind::reads:
      return fmt::format("{} of {}{} reads another {} than was computed: something wrote into it in between",
                         op, module, where, slot);
    case Kind::written:
      return fmt::format("every operator up to it gives the same; what {} gave was changed afterwards",
                         module);
    case Kind::others:
      return fmt::format("the sides run other operators from here: {} of {}{} against {}", op, module, where,
                         other_op);
  }
  return "";
}

Json GuiltyOperator::to_json() const {
  constexpr std::array<const char*, 4> kinds = {"computes", "reads", "written", "others"};
  return {{"kind", kinds.at(static_cast<size_t>(kind))},
          {"module", module},
          {"op", op},
          {"slot", slot},
          {"other_op", other_op},
          {"tensor", key ? Json(key->name) : Json()}};
}

}  // namespace parity
