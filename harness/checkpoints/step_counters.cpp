// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/step_counters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "harness/tensor/conversions.hpp"

namespace parity::checkpoints {
namespace {

constexpr std::array<std::string_view, 4> counter_names = {"step", "global_step", "iteration", "num_updates"};

/// Returns the value of a step counter; nothing for another tensor.
std::optional<int64_t> counter(const std::string& name, const StoredTensor& tensor) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (tensor.size() != 1 || !tensor.type.has_values ||
      std::find(counter_names.begin(), counter_names.end(), last) == counter_names.end())
    return {};
  const double value = widen(tensor.dtype, tensor.data);
  if (!(value >= 0 && value < 0x1p53) || value != std::floor(value))
    return {};
  return static_cast<int64_t>(value);
}

}  // namespace

std::string StepDistance::text() const {
  if (counters == 0 || (least == 0 && most == 0))
    return "";
  const std::string which =
      counters == 1 ? "the step counter" : fmt::format("all {} step counters", counters);
  if (least != most)
    return fmt::format("{} differ, by {} to {} updates", which, least, most);
  return fmt::format("{} {} {} updates {} in the second checkpoint", which, counters == 1 ? "is" : "are",
                     std::abs(least), least > 0 ? "further" : "back");
}

StepDistance step_distance(const Checkpoint& expected, const Checkpoint& actual) {
  StepDistance found;
  for (const auto& [name, tensor] : expected.tensors) {
    const auto other = actual.tensors.find(name);
    if (other == actual.tensors.end())
      continue;
    const auto from = counter(name, tensor), to = counter(name, other->second);
    if (!from || !to)
      continue;
    const int64_t distance = *to - *from;
    found.least = found.counters == 0 ? distance : std::min(found.least, distance);
    found.most = found.counters == 0 ? distance : std::max(found.most, distance);
    ++found.counters;
  }
  return found;
}

}  // namespace parity::checkpoints
