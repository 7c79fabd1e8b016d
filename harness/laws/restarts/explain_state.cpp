// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/restarts/explain_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/laws/run/narrow_types.hpp"

namespace parity::laws {
namespace {

using trace::TensorKey;

/// Returns "has the values of update 3" if an earlier update had these; "" if none did.
std::string explain_by_update(const Restart& restart, const StatePair& pair) {
  for (int64_t step = restart.saved; step-- > 0;) {
    TensorKey earlier = pair.before;
    earlier.step = step;
    if (same_bits(*restart.before, earlier, *restart.after, pair.after) == true)
      return step == 0 ? "starts from its initial values" : fmt::format("has the values of update {}", step);
  }
  return "";
}

std::string explain_by_other_tensor(const Restart& restart, const StatePair& pair) {
  for (const StatePair& other : restart.pairs)
    if (other.before.phase == pair.before.phase && other.before.name != pair.before.name &&
        same_bits(*restart.before, other.before, *restart.after, pair.after) == true)
      return "has the values of " + other.before.name;
  return "";
}

std::string explain_by_rounding(const std::vector<double>& before, const std::vector<double>& after) {
  for (const NarrowType& type : narrow_types())
    if (std::ranges::equal(before, after, [&](double x, double y) { return type.round(x) == y; }))
      return fmt::format("was rounded to {}", type.name);
  return "";
}

/// Returns counts as text: "14, 6".
std::string listed(const std::vector<double>& counts) {
  std::string text;
  for (const double count : counts)
    text += (text.empty() ? "" : ", ") + fmt::format("{:.17g}", count);
  return text;
}

/// Returns numbers that are few, or the size of the difference.
std::string explain_by_size(const std::vector<double>& before, const std::vector<double>& after) {
  const auto range = [](const std::vector<double>& values) {
    return values.front() == values.back() ? fmt::format("{:.17g}", values[0])
                                           : fmt::format("{:.17g} to {:.17g}", values.front(), values.back());
  };
  if (before.size() <= 2)
    return fmt::format("is {} in place of {}", range(after), range(before));
  double difference = 0, size = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    difference += std::pow(after[i] - before[i], 2);
    size += before[i] * before[i];
  }
  const double relative = std::sqrt(difference / size);
  return std::isfinite(relative) ? fmt::format("differs by {:.2g} of its norm", relative)
                                 : "has other values";
}

}  // namespace

std::string explain_state(const Restart& restart, const StatePair& pair) {
  const RecordedRun &before = *restart.before, &after = *restart.after;
  if (before.size(pair.before) != after.size(pair.after))
    return fmt::format("has {} elements in place of {}", after.size(pair.after), before.size(pair.before));
  const bool few = before.size(pair.before) <= 2;
  if (!few && after.norm(pair.after) == 0.0)
    return "starts from zero";
  if (!few)
    for (const auto& explain : {&explain_by_update, &explain_by_other_tensor})
      if (std::string text = explain(restart, pair); !text.empty())
        return text;
  if (!before.has_values(pair.before) || !after.has_values(pair.after))
    return "has other values";
  const std::vector<double> old_values = before.values(pair.before), new_values = after.values(pair.after);
  if (pair.before.name.ends_with("data_rows"))
    return fmt::format("is {} in place of {}", listed(new_values), listed(old_values));
  if (std::string text = few ? "" : explain_by_rounding(old_values, new_values); !text.empty())
    return text;
  return explain_by_size(old_values, new_values);
}

}  // namespace parity::laws
