// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/find_operator.hpp"

#include <set>

#include "harness/bisect/traces/operator_calls.hpp"
#include "harness/bisect/traces/paired_calls.hpp"

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
  if (calls.is_empty() || calls.are_cut_otherwise())
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

}  // namespace parity::bisect
