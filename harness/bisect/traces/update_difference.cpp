// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/update_difference.hpp"

#include <optional>

#include <fmt/format.h>

#include "harness/bisect/traces/find_operator.hpp"
#include "harness/bisect/traces/tensor_path.hpp"

namespace parity::bisect {
namespace {

/// Returns the first tensor of a step that differs.
std::optional<TensorStation> first_of(const trace::Trace& expected, const trace::Trace& actual,
                                      int64_t step) {
  const TensorPath path = compare_path(expected, actual, step);
  const TensorStation* first = path.first_difference();
  return first == nullptr ? std::nullopt : std::optional(*first);
}

/// Adds the operator that computes the tensor.
void add_operator(suite::UpdateDifference& difference, const trace::Trace& expected,
                  const trace::Trace& actual, const TensorStation& first) {
  if (first.key.step == 0 || first.key.phase == trace::Phase::input) {
    difference.text += ", before any operator";
    return;
  }
  const auto guilty = first.ranks.empty()
                          ? std::nullopt
                          : find_first_bad_operator(expected, actual, first.key, first.ranks.front());
  difference.text += guilty ? ": " + guilty->text() : "; no operator was recorded that shows it";
  if (guilty && guilty->kind == FirstBadOperator::Kind::computes)
    difference.op = guilty->op;
}

}  // namespace

suite::UpdateDifference describe_update_difference(const trace::Trace& expected, const trace::Trace& actual,
                                                   int64_t update) {
  std::optional<TensorStation> first = update == 1 ? first_of(expected, actual, 0) : std::nullopt;
  if (!first)
    first = first_of(expected, actual, update);
  if (!first)
    return {""};
  const bool is_of_a_rank = !first->ranks.empty() && expected.ranks() > 1;
  suite::UpdateDifference difference{describe(first->key) +
                                     (is_of_a_rank ? fmt::format(", on rank {}", first->ranks.front()) : "")};
  add_operator(difference, expected, actual, *first);
  return difference;
}

}  // namespace parity::bisect
