// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/first_divergence.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::compare {
namespace {

/// The execution order of a tensor, as the lowest rank that recorded it states it.
int64_t order_in(const trace::Trace& trace, const trace::TensorKey& key) {
  if (const trace::SketchRow* row = trace.find_sketch(key))
    return row->order;
  const auto rows = trace.rank_rows().find(key);
  return rows == trace.rank_rows().end() || rows->second.empty() ? -1 : rows->second.front().order;
}

/// The place of a difference in time: its step, tensors before channels, tensors in order of computation.
using Moment = std::tuple<int64_t, bool, int64_t>;

}  // namespace

std::optional<trace::TensorKey> FirstDivergence::key() const {
  return phase ? std::optional(trace::TensorKey{step, *phase, name}) : std::nullopt;
}

std::string FirstDivergence::text() const {
  if (name.empty())
    return "";
  std::string text = fmt::format("{}{} at step {}", phase ? std::string(name_of(*phase)) + " " : "",
                                 escape_to_line(name, 200), step);
  if (rank)
    text += fmt::format(", on rank {}", *rank);
  return what.empty() ? text : fmt::format("{} ({})", text, what);
}

std::optional<int64_t> rank_that_differs(const trace::TensorKey& key, const trace::Trace& expected,
                                         const trace::Trace& actual) {
  const auto a = expected.rank_rows().find(key), b = actual.rank_rows().find(key);
  if (a == expected.rank_rows().end() || b == actual.rank_rows().end() || expected.ranks() < 2)
    return std::nullopt;
  for (const trace::RankRow& row : a->second) {
    const auto other = std::ranges::find(b->second, row.rank, &trace::RankRow::rank);
    if (other == b->second.end() || other->digest != row.digest)
      return row.rank;
  }
  return std::nullopt;
}

std::optional<FirstDivergence> first_divergence(const TraceDifference& difference,
                                                const trace::Trace& expected, const trace::Trace& actual) {
  if (difference.agrees())
    return std::nullopt;
  std::optional<FirstDivergence> first;
  Moment moment;
  const auto offer = [&](FirstDivergence found, int64_t order) {
    const Moment at = {found.step, !found.phase.has_value(), order};
    if (!first || at < moment)
      first = std::move(found), moment = at;
  };
  for (const TensorDifference& row : difference.tensors)
    if (!row.identical())
      offer({row.key.step, row.key.phase, row.key.name, rank_that_differs(row.key, expected, actual),
             row.mismatch},
            std::max(order_in(expected, row.key), order_in(actual, row.key)));
  for (const RankDifference& row : difference.ranks.differences) {
    const trace::TensorKey key = {row.step, row.phase.value_or(trace::Phase::input), row.name};
    offer({row.step, row.phase, row.name, row.rank, row.what == "differs" ? "" : row.what},
          row.phase ? std::max(order_in(expected, key), order_in(actual, key)) : 0);
  }
  for (const ChannelDifference& row : difference.channels)
    if (!row.identical())
      offer({row.difference.first ? row.steps.at(*row.difference.first) : 0, std::nullopt, row.name,
             std::nullopt, row.mismatch},
            0);
  return first ? first : FirstDivergence{};
}

}  // namespace parity::compare
