// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/first_bad_operator.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/bisect/traces/operator_calls.hpp"
#include "harness/bisect/traces/paired_calls.hpp"
#include "harness/compare/traces/collectives.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::bisect {
namespace {

void add_with_those_around(std::set<std::string>& modules, std::string module) {
  while (true) {
    modules.insert(module);
    const size_t dot = module.rfind('.');
    if (dot == std::string::npos)
      return;
    module.resize(dot);
  }
}

}  // namespace

std::optional<trace::CaptureRule> operators_to_watch(const trace::TensorKey& first,
                                                     const std::optional<trace::TensorKey>& last_equal) {
  if (first.step == 0 || first.phase == trace::Phase::input)
    return std::nullopt;
  std::set<std::string> modules = {"data", "loss", "reduction", "clip", "optimizer"};
  add_with_those_around(modules, module_of_tensor(first));
  if (last_equal)
    add_with_those_around(modules, module_of_tensor(*last_equal));
  trace::CaptureRule rule;
  rule.steps = {first.step};
  rule.names.assign(modules.begin(), modules.end());
  return rule;
}

std::optional<FirstBadOperator> find_first_bad_operator(const trace::Trace& expected,
                                                        const trace::Trace& actual,
                                                        const trace::TensorKey& first, int64_t rank) {
  const PairedCalls calls(expected, actual, first, rank);
  if (calls.is_empty())
    return std::nullopt;
  bool is_unclear = false;
  if (auto found = calls.find(first, is_unclear))
    return found;
  const trace::RankRow *mine = rank_row_of(expected, first, rank), *theirs = rank_row_of(actual, first, rank);
  if (mine != nullptr && theirs != nullptr)
    if (auto found = calls.one_sided_source(mine->digest, theirs->digest))
      return found;
  if (is_unclear || calls.is_one_sided())
    return std::nullopt;
  FirstBadOperator guilty;
  guilty.kind = FirstBadOperator::Kind::written;
  guilty.module = module_of_tensor(first);
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
      if (op == no_operator || other_op == no_operator)
        return fmt::format("only the {} side runs {} of {}{}", op == no_operator ? "second" : "first",
                           op == no_operator ? other_op : op, module, where);
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
