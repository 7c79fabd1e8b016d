// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/clip_by_value.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/base/json/number.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

Json clip_facts(const RecordedRun& run) {
  const Json& facts = run.trace().provenance();
  return facts.is_object() ? facts.value(Json::json_pointer("/recipe/clip"), Json()) : Json();
}

/// What clipping did to the elements of one tensor.
struct Clamped {
  int64_t elements = 0, cut = 0;   ///< cut: those beyond the value before clipping
  int64_t above = 0, changed = 0;  ///< beyond the value after clipping; other elements that are not as before
  double largest = 0;              ///< size after clipping
  std::optional<double> error, bound;  ///< of the element with the largest error beyond its bound
};

/// Compares a gradient with the one before clipping. Beyond the value, `roundoff` may round the value itself
/// to the dtype of the gradient; every other element keeps its bits.
Clamped clamped_by(double value, const std::vector<double>& before, const std::vector<double>& after,
                   double roundoff) {
  Clamped found;
  found.elements = static_cast<int64_t>(before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    if (std::isnan(before[i]) && std::isnan(after[i]))
      continue;
    const bool inside = std::abs(before[i]) < value * (1 - 2 * roundoff);
    const double wanted = std::clamp(before[i], -value, value);
    const double error = after[i] == wanted ? 0 : std::abs(after[i] - wanted);  // also of two infinities
    const double bound = inside || std::isinf(value) ? 0 : 2 * roundoff * value;
    found.cut += std::abs(before[i]) > value ? 1 : 0;
    found.largest = std::max(found.largest, std::abs(after[i]));
    const bool holds = error <= bound;
    if (!holds)
      ++(std::abs(after[i]) > value * (1 + 2 * roundoff) ? found.above : found.changed);
    if (!found.error || error - bound > *found.error - *found.bound)
      found.error = error, found.bound = bound;
  }
  return found;
}

std::string clamp_text(const Clamped& one, double value) {
  if (one.above > 0 && one.changed == 0)
    return fmt::format("elements are larger than the clip value {:.6g} (up to {:.6g})", value, one.largest);
  if (one.above > 0)
    return fmt::format("not clamped to the clip value {:.6g} (elements up to {:.6g})", value, one.largest);
  return fmt::format("elements are not those before clipping, clamped to {:.6g}", value);
}

/// Compares the tensors of one update. \return how many elements were compared and cut off
Clamped check_clamped(const RecordedRun& run, int64_t step, double value, bool report, Finding& finding) {
  Clamped all;
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> odd;
  const std::vector<std::string>& after_names = run.names(step, Phase::grad_clipped);
  for (const std::string& name : run.names(step, Phase::grad)) {
    const TensorKey before{step, Phase::grad, name}, after{step, Phase::grad_clipped, name};
    if (!std::ranges::binary_search(after_names, name) || !run.has_values(before) || !run.has_values(after))
      continue;
    const std::vector<double> a = run.values(before), b = run.values(after);
    if (a.size() != b.size() || a.empty())
      continue;
    names.push_back(name);
    const Clamped one = clamped_by(value, a, b, std::max(run.roundoff(before), run.roundoff(after)));
    all.elements += one.elements;
    all.cut += one.cut;
    const bool holds = one.above + one.changed == 0;
    if (one.error)
      finding.compare(*one.error, *one.bound);
    if (!holds)
      odd[clamp_text(one, value)].insert(name);
    all.above += holds ? 0 : 1;
  }
  for (const auto& [what, some] : odd)
    if (const std::string who = describe(some, names); report)
      finding.departures.push_back({who + ": " + what, step, who, {}, {}});
  return all;
}

}  // namespace

bool clips_by_value(const RecordedRun& run) {
  const Json facts = clip_facts(run);
  return facts.is_object() && facts.contains("value");
}

Finding ask_clip_by_value(const RecordedRun& run) {
  Finding finding;
  const Json facts = clip_facts(run);
  const double value = facts.is_object() && facts.contains("value") ? number_of(facts["value"]) : NAN;
  if (facts.is_object() && facts.contains("max_norm")) {
    finding.why = "the run clips by norm and by value, and gradients between the two were not recorded";
    finding.record = "a run that clips once";
    return finding;
  }
  if (!(value >= 0)) {
    finding.why = "the run clips by several values, and which gradients each of them clips is not recorded";
    finding.record = "a run that clips all gradients by one value";
    return finding;
  }
  int64_t elements = 0, cut = 0, odd = 0, updates = 0;
  for (const int64_t step : run.steps()) {
    if (run.channel("update_skipped", step).value_or(0) == 1)
      continue;
    const Clamped at = check_clamped(run, step, value, odd == 0, finding);
    elements += at.elements;
    cut += at.cut;
    odd += at.above > 0 ? 1 : 0;
    updates += at.elements > 0 ? 1 : 0;
  }
  if (elements == 0) {
    finding.why = "no elements of gradients were recorded before and after clipping";
    finding.record = "values of the phases grad and grad_clipped of the same updates";
    return finding;
  }
  finding.notes.push_back(
      fmt::format("clipped by value to {:.6g}: {} of {} elements of {} updates are cut off", value, cut,
                  elements, updates));
  if (odd > 1)
    finding.notes.push_back(fmt::format("{} updates depart like this", odd));
  return finding;
}

}  // namespace parity::laws
