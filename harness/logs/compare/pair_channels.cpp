// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/pair_channels.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace parity::logs {
namespace {

CurveDifference pair_up(const std::string& name, const LogChannel& a, const LogChannel& b, int64_t shift) {
  CurveDifference row{name, {}, {}, {}};
  std::vector<double> expected, actual;
  for (size_t i = 0, j = 0; i < a.steps.size() && j < b.steps.size();) {
    const int64_t other = b.steps[j] + shift;
    if (a.steps[i] == other) {
      row.expected.steps.push_back(other);
      expected.push_back(a.values[i++]);
      actual.push_back(b.values[j++]);
    } else {
      ++(a.steps[i] < other ? i : j);
    }
  }
  row.actual.steps = row.expected.steps;
  row.expected.values = std::move(expected);
  row.actual.values = std::move(actual);
  return row;
}

/// Measures the difference of a row. A difference that lies in digits that one side lacks does not count.
void measure(CurveDifference& row, const Log& first, const Log& second, const LogFilter& filter) {
  row.difference = measure_series(row.expected, row.actual, filter.policy);
  if (row.difference.identical())
    return;
  const std::optional<CoarseSide> coarse = coarse_side(first, second, row.name);
  if (!coarse)
    return;
  compare::Series a = row.expected, b = row.actual;
  auto& expected = std::get<std::vector<double>>(a.values);
  auto& actual = std::get<std::vector<double>>(b.values);
  if (coarse->is_first)
    actual = rounded_like(expected, actual, coarse->digits);
  else
    expected = rounded_like(actual, expected, coarse->digits);
  const compare::SeriesDifference rounded = measure_series(a, b, filter.policy);
  if (rounded.differing == row.difference.differing)
    return;
  row.difference = rounded;
  row.coarse = coarse;
}

/// Returns whether step n of one log can be step n + 1 of the other. One that counts from 1 and logs every k
/// steps begins at step 1 or k.
bool numbered_apart(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const int64_t shift = a.front() - b.front();
  const int64_t later = std::max(a.front(), b.front());
  const int64_t every = a.size() > 1 ? a[1] - a[0] : 1;
  return (shift == 1 || shift == -1) && (later == 1 || later == every) && a.size() == b.size() &&
         std::ranges::equal(a, b, {}, {}, [shift](int64_t step) { return step + shift; });
}

}  // namespace

std::vector<CurveDifference> pair_channels(const Log& first, const Log& second,
                                           const std::vector<std::string>& names, int64_t shift,
                                           const LogFilter& filter) {
  std::vector<CurveDifference> rows;
  for (const std::string& name : names) {
    rows.push_back(pair_up(name, first.channels.at(name), second.channels.at(name), shift));
    if (rows.back().expected.size() > 0)
      measure(rows.back(), first, second, filter);
  }
  return rows;
}

int64_t find_shift(const Log& first, const Log& second, const std::vector<std::string>& names,
                   const LogFilter& filter) {
  const std::vector<int64_t> in_first = first.steps(), in_second = second.steps();
  if (!numbered_apart(in_first, in_second))
    return 0;
  const int64_t shift = in_first.front() - in_second.front();
  if (std::ranges::find(names, "loss") == names.end())
    return 0;
  const std::vector<CurveDifference> loss = pair_channels(first, second, {"loss"}, 0, filter);
  if (loss.front().agrees())
    return 0;
  return std::ranges::all_of(pair_channels(first, second, names, shift, filter), &CurveDifference::agrees)
             ? shift
             : 0;
}

}  // namespace parity::logs
