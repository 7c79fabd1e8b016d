// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/scalar_arguments.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/measure/tensor/sketch.hpp"
#include "harness/tensor/conversions.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::bisect {
namespace {

/// Phase, module, operator, argument.
using Place = std::tuple<trace::Phase, std::string, std::string, std::string>;
using Scalars = std::map<Place, std::set<double>>;

/// Returns the sign that the sketch gives the only element of a scalar.
double sign_of_scalar() {
  static const double one = 1;
  static const double sign = measure::sketch_of({DType::float64, {}, &one}).front();
  return sign;
}

/// Returns the number of a tensor without dimensions, from its values or its sketch; nothing if it is not
/// finite or has neither.
std::optional<double> scalar_of(const trace::Trace& trace, const trace::SketchRow& row) {
  if (row.nan_count + row.inf_count > 0)
    return std::nullopt;
  if (trace.has_tensor(row.key)) {
    const TensorView view = trace.tensor(row.key);
    return widen(view.dtype, view.data);
  }
  if (row.values.empty())
    return std::nullopt;
  return sign_of_scalar() * row.values.front();
}

bool is_compared(const std::string& argument, DType dtype) {
  return dtype == DType::float64 || argument == "dim" || argument == "dims" || argument == "step" ||
         argument == "state_steps";
}

/// Returns "state_steps" for the slot "in.state_steps[3]".
std::string argument_of(const std::string& slot) {
  const size_t begin = slot.find('.') + 1;
  return slot.substr(begin, slot.find('[') - begin);
}

Scalars scalars_of(const trace::Trace& trace, int64_t step) {
  Scalars scalars;
  for (const trace::SketchRow& row : trace.sketches()) {
    if (row.key.step != step || !row.shape.empty())
      continue;
    const auto tensor = trace::parse_operator_tensor(row.key.name);
    if (!tensor || tensor->is_output())
      continue;
    const std::string argument = argument_of(tensor->slot);
    const std::optional<double> value =
        is_compared(argument, row.dtype) ? scalar_of(trace, row) : std::nullopt;
    if (value)
      scalars[{row.key.phase, tensor->module, tensor->op, argument}].insert(*value);
  }
  return scalars;
}

/// Returns the values that only the first set has, as text.
std::string own_values(const std::set<double>& mine, const std::set<double>& theirs) {
  std::vector<std::string> own;
  for (const double value : mine)
    if (!theirs.contains(value))
      own.push_back(compare::number_text(value));
  if (own.empty())
    return "none of its own";
  constexpr size_t most = 3;
  if (own.size() > most)
    own.resize(most);
  return compare::list_text(own);
}

}  // namespace

std::string ScalarDifference::numbers() const {
  return fmt::format("{} against {}", own_values(expected, actual), own_values(actual, expected));
}

std::vector<ScalarDifference> compare_scalars(const trace::Trace& expected, const trace::Trace& actual,
                                              int64_t step) {
  const Scalars mine = scalars_of(expected, step), theirs = scalars_of(actual, step);
  std::vector<ScalarDifference> differences;
  for (const auto& [place, values] : mine)
    if (const auto other = theirs.find(place); other != theirs.end() && other->second != values) {
      const auto& [phase, module, op, argument] = place;
      differences.push_back({phase, module, op, argument, values, other->second});
    }
  return differences;
}

bool is_free_of_layout(const ScalarDifference& difference) {
  for (const char* region : {"data", "loss", "reduction", "clip"})
    if (difference.module == region)
      return false;
  return true;
}

}  // namespace parity::bisect
