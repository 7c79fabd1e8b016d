// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/align_names.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "harness/bisect/traces/tensor_path.hpp"

namespace parity::bisect {
namespace {

using RowPointers = std::vector<const trace::SketchRow*>;

std::set<int64_t> steps_of(const trace::Trace& trace) {
  std::set<int64_t> steps;
  for (const trace::SketchRow& row : trace.sketches())
    steps.insert(row.key.step);
  return steps;
}

std::set<std::string> tensor_names(const trace::Trace& trace) {
  std::set<std::string> names;
  for (const trace::SketchRow& row : trace.sketches())
    names.insert(row.key.name);
  return names;
}

/// Returns the tensors of one phase and step in order of computation, without names that both traces have.
RowPointers rows_of(const trace::Trace& trace, int64_t step, trace::Phase phase,
                    const std::set<std::string>& shared) {
  RowPointers rows;
  for (const trace::TensorKey& key : in_order_of_computation(trace, step))
    if (const trace::SketchRow* row = trace.find_sketch(key);
        row && key.phase == phase && !shared.contains(key.name))
      rows.push_back(row);
  return rows;
}

/// Returns 1 for equal shapes, up to 2 for equal norms; 0 for tensors that never pair.
double likeness(const trace::SketchRow& a, const trace::SketchRow& b) {
  if (a.shape != b.shape)
    return 0;
  if (a.norm == b.norm)
    return 2;
  return a.norm > 0 && b.norm > 0 ? 1 + std::exp(-std::abs(std::log(a.norm / b.norm))) : 1;
}

/// Adds the best pairing that keeps both orders.
void pair_up(const RowPointers& a, const RowPointers& b, std::map<std::string, std::string>& names) {
  const size_t width = b.size() + 1;
  std::vector<double> best((a.size() + 1) * width, 0);  // likeness of a[i..] with b[j..]
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;) {
      const double like = likeness(*a[i], *b[j]);
      const double apart = std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
      best[i * width + j] = like > 0 ? std::max(apart, like + best[(i + 1) * width + j + 1]) : apart;
    }
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double like = likeness(*a[i], *b[j]);
    if (like > 0 && best[i * width + j] == like + best[(i + 1) * width + j + 1]) {
      names.emplace(b[j]->key.name, a[i]->key.name);
      ++i;
      ++j;
    } else if (best[i * width + j] == best[(i + 1) * width + j]) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

std::map<std::string, std::string> align_names(const trace::Trace& expected, const trace::Trace& actual) {
  std::set<std::string> shared;
  std::ranges::set_intersection(tensor_names(expected), tensor_names(actual),
                                std::inserter(shared, shared.end()));
  std::vector<int64_t> steps;
  std::ranges::set_intersection(steps_of(expected), steps_of(actual), std::back_inserter(steps));
  std::map<std::string, std::string> names;
  for (const int64_t step : steps)
    for (size_t phase = 0; phase < EnumNames<trace::Phase>::names.size(); ++phase) {
      const auto which = static_cast<trace::Phase>(phase);
      const RowPointers a = rows_of(expected, step, which, shared), b = rows_of(actual, step, which, shared);
      std::map<std::string, std::string> found;
      pair_up(a, b, found);
      for (const auto& [theirs, ours] : found)  // a name is of one tensor, so its first pairing is used
        if (std::ranges::none_of(names, [&](const auto& pair) { return pair.second == ours; }))
          names.emplace(theirs, ours);
    }
  return names;
}

}  // namespace parity::bisect
