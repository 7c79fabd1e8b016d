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

/// The value at which the calls of an update cut off the elements of each gradient.
class ClipValues {
 public:
  explicit ClipValues(const Json& calls) {
    if (!calls.at("value").is_array())
      one_ = number_of(calls.at("value"));
    if (calls.contains("values") && calls["values"].is_array())
      for (const Json& call : calls["values"])
        add(call);
  }

  /// Returns NaN for a gradient whose value is not known.
  double of(const std::string& name) const {
    const auto found = of_.find(name);
    return found == of_.end() ? one_ : found->second;
  }
  bool are_known() const { return one_ >= 0 || (!of_.empty() && are_valid_); }

 private:
  void add(const Json& call) {
    const double value = call.is_object() ? number_of(call.value("value", Json())) : NAN;
    are_valid_ = are_valid_ && value >= 0;
    if (!call.is_object() || !call.contains("names") || !call["names"].is_array())
      return;
    for (const Json& name : call["names"])
      if (name.is_string())
        if (const auto [at, is_new] = of_.emplace(name.get<std::string>(), value); !is_new)
          at->second = std::min(at->second, value);
  }

  double one_ = NAN;
  bool are_valid_ = true;
  std::map<std::string, double> of_;
};

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

/// Counts a gradient that no call clips, at an update that clips others.
void add_left_out(const RecordedRun& run, const TensorKey& key, ValueClipping& all) {
  LeftOut& one = all.left_out[key.name];
  ++one.updates;
  if (run.has_values(key))
    for (const double value : run.values(key))
      one.largest = std::max(one.largest, std::abs(value));
}

/// Compares the tensors of one update.
void check_clamped(const RecordedRun& run, int64_t step, const ClipValues& values, ValueClipping& all,
                   Finding& finding) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> odd;
  const std::vector<std::string>& after_names = run.names(step, Phase::grad_clipped);
  for (const std::string& name : run.names(step, Phase::grad)) {
    const TensorKey before{step, Phase::grad, name}, after{step, Phase::grad_clipped, name};
    if (!after_names.empty() && !std::ranges::binary_search(after_names, name))
      add_left_out(run, before, all);
    const double value = values.of(name);
    if (!std::ranges::binary_search(after_names, name) || !run.has_values(before) || !run.has_values(after) ||
        std::isnan(value))
      continue;
    const std::vector<double> a = run.values(before), b = run.values(after);
    if (a.size() != b.size() || a.empty())
      continue;
    names.push_back(name);
    const Clamped one = clamped_by(value, a, b, std::max(run.roundoff(before), run.roundoff(after)));
    all.elements += one.elements;
    all.cut += one.cut;
    all.least = std::min(all.least, value);
    all.most = std::max(all.most, value);
    if (one.error)
      finding.compare(*one.error, *one.bound);
    if (one.above + one.changed > 0)
      odd[clamp_text(one, value)].insert(name);
  }
  for (const auto& [what, some] : odd)
    if (const std::string who = describe(some, names); all.odd == 0)
      finding.departures.push_back({who + ": " + what, step, who, {}, {}});
  all.odd += odd.empty() ? 0 : 1;
  all.updates += names.empty() ? 0 : 1;
}

}  // namespace

std::string why_not_by_value(const ClipPeriod& period) {
  if (period.by_norm)
    return "the run clips by norm and by value, and gradients between the two were not recorded";
  if (!ClipValues(period.calls).are_known())
    return "the run clips by several values, and which gradients each of them clips is not recorded";
  return "";
}

void check_values(const RecordedRun& run, const ClipPeriod& period, ValueClipping& all, Finding& finding) {
  const ClipValues values(period.calls);
  for (const int64_t step : period.steps)
    if (run.channel("update_skipped", step).value_or(0) != 1)
      check_clamped(run, step, values, all, finding);
}

void note_values(const ValueClipping& all, Finding& finding) {
  if (all.elements == 0)
    return;
  finding.notes.push_back(
      fmt::format("clipped by value to {:.6g}{}: {} of {} elements of {} updates are cut off", all.least,
                  all.least < all.most ? fmt::format(" up to {:.6g}", all.most) : "", all.cut, all.elements,
                  all.updates));
  if (all.odd > 1)
    finding.notes.push_back(fmt::format("{} updates depart like this", all.odd));
  for (const auto& [name, one] : all.left_out)
    finding.notes.push_back(fmt::format(
        "{} is not clipped by value at {} update{} that clip{} others: its elements reach {:.6g}", name,
        one.updates, one.updates == 1 ? "" : "s", one.updates == 1 ? "s" : "", one.largest));
}

}  // namespace parity::laws
