// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "clip": one factor min(1, max_norm / (grad_norm + 1e-6)) scales every gradient. Of a run that clips
// sets of gradients by a call each, every set has its own factor. Of a run that clips by value,
// ask_clip_by_value() asks it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/laws/gradients/clip_by_value.hpp"
#include "harness/laws/gradients/norm_guesses.hpp"
#include "harness/laws/gradients/scaled_tensors.hpp"
#include "harness/laws/gradients/set_norms.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/clip_sets.hpp"
#include "harness/laws/run/recorded_run.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

struct ClipStep {
  int64_t step = 0;
  std::vector<Scaled> tensors = {};
  double factor = 1;  ///< of most of the gradient
};

std::vector<ClipStep> read_steps(const RecordedRun& run, const std::vector<int64_t>& all,
                                 const ClipSet& set) {
  std::vector<ClipStep> steps;
  for (const int64_t step : all) {
    if (run.channel("update_skipped", step).value_or(0) == 1)
      continue;  // its gradients are not finite, and nobody clips them
    ClipStep clip{.step = step};
    const std::vector<std::string>&before = run.names(step, Phase::grad),
          &after = run.names(step, Phase::grad_clipped);
    const auto add = [&](const std::string& name) {
      if (std::ranges::binary_search(before, name) && std::ranges::binary_search(after, name))
        if (std::optional<Scaled> scaled = scaled_of(run, step, name))
          clip.tensors.push_back(std::move(*scaled));
    };
    if (set.names.empty())
      std::ranges::for_each(before, add);
    else
      std::ranges::for_each(set.names, add);
    if (clip.tensors.empty())
      continue;
    clip.factor = main_factor(clip.tensors);
    steps.push_back(std::move(clip));
  }
  return steps;
}

/// Groups the tensors that were not scaled by the main factor, by what happened to them.
/// \return whether there are some
bool check_tensors(const ClipStep& clip, bool report, Finding& finding) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> odd;
  std::map<std::string, double> factor_of;
  for (const Scaled& one : clip.tensors) {
    names.push_back(one.name);
    const double error = std::abs(one.factor - clip.factor);
    const bool same = finding.compare(error, 2 * one.bound * std::abs(clip.factor));
    std::string what;
    if (one.clamp > 0)
      what = fmt::format("elements cut off at {:.6g} (clipping by value)", one.clamp);
    else if (!one.one_factor)
      what = "not one multiple of the gradient before clipping";
    else if (!same && std::abs(one.factor - 1) <= one.bound)
      what = fmt::format("not clipped, where the others are scaled by {:.6g}", clip.factor);
    else if (!same)
      what = fmt::format("scaled by {:.6g}, {:.6g} times the factor {:.6g} of the others", one.factor,
                         one.factor / clip.factor, clip.factor);
    if (what.empty())
      continue;
    odd[what].insert(one.name);
    factor_of[what] = one.factor / clip.factor;
  }
  for (const auto& [what, some] : odd) {
    const std::string who = describe(some, names);
    if (report)
      finding.departures.push_back({who + ": " + what, clip.step, who, {}, factor_of[what]});
  }
  return !odd.empty();
}

/// What the factor is compared with. Calls that clip the same gradients again find the norm that the call
/// before left.
struct Expected {
  double norm = 0;
  double norm_bound = 0;          ///< relative; 0 of the channel, which clipping used itself
  std::vector<double> max_norms;  ///< of the calls, in order

  double with_margin() const { return factor(1e-6); }
  double without() const { return factor(0); }
  double max_norm() const { return std::ranges::min(max_norms); }

 private:
  double factor(double margin) const {
    double product = 1;
    for (const double max_norm : max_norms)
      product *= std::min(1.0, max_norm / (norm * product + margin));
    return product;
  }
};

/// Returns what the factor of a set may be at an update; empty if its norm or limit is not known. A trainer
/// may record another norm than its calls used. So where these norms are not the L2 norm of everything, the
/// norm that the gradients give counts too.
std::vector<Expected> expected_factors(const RecordedRun& run, int64_t step, const ClipSet& set) {
  if (std::ranges::any_of(set.max_norms, [](double each) { return std::isnan(each); }))
    return {};
  std::vector<double> max_norms = set.max_norms;
  if (const auto one = run.max_norm(step); max_norms.empty() && one)
    max_norms.push_back(*one);
  if (max_norms.empty())
    return {};
  for (double& each : max_norms)
    each = each > 0 ? each : HUGE_VAL;
  const auto recorded = run.channel(set.channel, step);
  std::vector<Expected> list;
  if (recorded)
    list.push_back({*recorded, 0, max_norms});
  if (set.names.empty() && set.order == 2)
    return list;
  const auto found = set_norm(run, step, set);
  if (!found || (set.names.empty() && !(recorded && found->agrees(*recorded)) &&
                 !has_all_gradients(run, step, run.names(step, Phase::grad))))
    return {};
  list.push_back({found->value, found->bound, max_norms});
  return list;
}

std::string explain(const RecordedRun& run, const ClipStep& clip, const Expected& want) {
  const double f = clip.factor, tolerance = 1e-5 * std::abs(f);
  const auto is = [&](double value) { return std::abs(f - value) <= tolerance; };
  if (is(1))
    return fmt::format("gradients are not clipped although grad_norm {:.6g} exceeds max_norm {:.6g}",
                       want.norm, want.max_norm());
  const std::string begin = fmt::format(
      "gradients are scaled by {:.6g}, where max_norm {:.6g} and grad_norm {:.6g} "
      "give {:.6g}",
      f, want.max_norm(), want.norm, want.with_margin());
  if (want.norm < want.max_norm() && is(want.max_norm() / want.norm))
    return begin + ": a norm below max_norm is scaled up to it";
  if (const GradientNorms norms = gradient_norms(run, clip.step, Phase::grad);
      norms.bad.empty() && norms.norm() > 0 && is(std::min(1.0, want.max_norm() / norms.norm())))
    return begin + ": the factor follows the norm of the gradients, and grad_norm is another number";
  if (is(want.with_margin() * want.with_margin()))
    return begin + ": the factor is applied twice";
  if (is(1 / (want.norm + 1e-6)) || is(1 / want.norm))
    return begin + ": gradients are divided by their norm, without max_norm";
  if (is(want.max_norm() / (want.norm * want.norm)))
    return begin + ": max_norm is divided by the squared norm";
  const double scale = std::exp2(std::round(std::log2(want.with_margin() / f)));
  if (scale >= 16 && is(want.with_margin() / scale))
    return begin +
           fmt::format(": it is as if a loss scale of {:.6g} had not been taken out before clipping", scale);
  return begin + fmt::format(": it is as if max_norm were {:.6g}", f * want.norm);
}

/// At how many updates clipping acted, and by which convention.
struct Activity {
  int64_t active = 0, with_margin = 0, without = 0, unknown = 0;
  std::map<std::string, int64_t> wrong = {};  ///< of each channel: factors that depart
};

/// Compares the factors of a set with max_norm and grad_norm.
void check_factors(const RecordedRun& run, const ClipSet& set, const std::vector<ClipStep>& steps,
                   Activity& activity, Finding& finding) {
  for (const ClipStep& clip : steps) {
    const std::vector<Expected> wanted = expected_factors(run, clip.step, set);
    if (wanted.empty()) {
      ++activity.unknown;
      continue;
    }
    const auto error = [&](const Expected& want) {
      return std::min(std::abs(clip.factor - want.with_margin()), std::abs(clip.factor - want.without()));
    };
    const auto bound = [&](const Expected& want) { return clip.tensors.front().bound + want.norm_bound; };
    const auto fits = std::ranges::find_if(wanted, [&](const Expected& want) {
      return error(want) <= 2 * bound(want) * std::abs(want.with_margin());
    });
    const Expected& want = fits == wanted.end() ? wanted.front() : *fits;
    if (want.without() < 1) {
      ++activity.active;
      activity.with_margin += std::abs(clip.factor - want.with_margin()) <= bound(want) * clip.factor;
      activity.without += std::abs(clip.factor - want.without()) <= bound(want) * clip.factor;
    }
    if (finding.compare(error(want), 2 * bound(want) * std::abs(want.with_margin())) ||
        ++activity.wrong[set.channel] > 1)
      continue;
    std::string sentence = explain(run, clip, want);
    if (!set.names.empty())
      sentence += " (" + describe(set.names, run.names(clip.step, Phase::grad)) + ")";
    finding.departures.push_back({sentence, clip.step, "", {}, clip.factor / want.with_margin()});
  }
}

void note_activity(const Activity& found, const std::string& where, Finding& finding) {
  if (found.unknown > 0)
    finding.notes.push_back(
        fmt::format("at {} {} the norm by which gradients are clipped is not known", found.unknown, where));
  if (found.active == 0)
    finding.notes.emplace_back("clipping was never active, so its convention is not known");
  else if (found.with_margin == found.active && found.without < found.active)
    finding.notes.push_back(
        fmt::format("active at {} {}, by max_norm / (grad_norm + 1e-6)", found.active, where));
  else if (found.without == found.active && found.with_margin < found.active)
    finding.notes.push_back(
        fmt::format("active at {} {}, by max_norm / grad_norm without 1e-6", found.active, where));
  else
    finding.notes.push_back(fmt::format("active at {} {}", found.active, where));
}

/// Infers max_norm where it was not recorded.
void infer_max_norm(const RecordedRun& run, const std::vector<ClipStep>& steps, Finding& finding) {
  std::set<double> seen;
  for (const ClipStep& clip : steps)
    if (const auto norm = run.channel("grad_norm", clip.step);
        norm && clip.factor < 1 - clip.tensors.front().bound)
      seen.insert(clip.factor * (*norm + 1e-6));
  if (seen.empty())
    finding.notes.emplace_back("max_norm was not recorded, and no update was clipped");
  else if (*seen.rbegin() - *seen.begin() <=
           1e-5 * *seen.begin() + 4 * steps.front().tensors.front().bound * *seen.begin())
    finding.notes.push_back(fmt::format("max_norm was not recorded; the factors give {:.3g}", *seen.begin()));
  else
    finding.notes.push_back(fmt::format("max_norm was not recorded; the factors give from {:.6g} to {:.6g}",
                                        *seen.begin(), *seen.rbegin()));
}

/// What clipping by norm did to a run.
struct NormClipping {
  Activity activity;
  int64_t odd = 0;  ///< updates that scale tensors by different factors
  bool knows = false, has_calls = false, is_plain = true;
  std::vector<ClipStep> last;  ///< of the last set that was compared; of a plain run all updates
};

void check_norms(const RecordedRun& run, const ClipPeriod& period, NormClipping& all, Finding& finding) {
  for (const ClipSet& set : period.sets.list) {
    std::vector<ClipStep> steps = read_steps(run, period.steps, set);
    if (steps.empty())
      continue;
    for (const ClipStep& clip : steps) {
      all.odd += check_tensors(clip, all.odd == 0, finding);
      all.knows = all.knows || !expected_factors(run, clip.step, set).empty();
    }
    check_factors(run, set, steps, all.activity, finding);
    all.is_plain = all.is_plain && period.sets.is_plain();
    if (!all.is_plain)
      all.last.clear();
    std::ranges::move(steps, std::back_inserter(all.last));
  }
  all.has_calls = all.has_calls || period.sets.has_calls;
}

void note_norms(const RecordedRun& run, const NormClipping& all, Finding& finding) {
  if (all.odd > 1)
    finding.notes.push_back(fmt::format("tensors are scaled by different factors at {} updates", all.odd));
  if (all.knows)
    note_activity(all.activity, all.has_calls ? "clippings" : "updates", finding);
  else if (all.is_plain)
    infer_max_norm(run, all.last, finding);
  else
    finding.notes.emplace_back("the factors were not compared with max_norm");
}

constexpr const char* late_words =
    "gradients are clipped after the optimizer's step, which used them as they were before";

/// A call after the optimizer's step changes gradients that nobody reads any more. What it scales them by is
/// not asked.
void check_order(const ClipPeriod& period, Finding& finding) {
  if (!period.calls.is_object() || !period.calls.contains("late") || period.calls["late"] != true)
    return;
  ++finding.checked;
  if (std::ranges::none_of(finding.departures,
                           [](const Departure& each) { return each.sentence == late_words; }))
    finding.departures.push_back({late_words, period.steps.front(), "", {}, std::nullopt});
}

void say_what_is_missing(const RecordedRun& run, bool by_value, Finding& finding) {
  if (by_value) {
    finding.why = "no elements of gradients were recorded before and after clipping";
    finding.record = "values of the phases grad and grad_clipped of the same updates";
    return;
  }
  const bool zero = !run.all_names(Phase::grad).empty() && !run.all_names(Phase::grad_clipped).empty();
  finding.why = zero ? "no update has a gradient before and after clipping that is not zero"
                     : "no gradient was recorded before and after clipping";
  finding.record = "phases grad and grad_clipped of the same updates";
}

}  // namespace

Finding ask_clip(const RecordedRun& run) {
  Finding finding;
  NormClipping norms;
  ValueClipping values;
  std::string problem;
  size_t left = 0;
  bool by_value = false;
  for (const ClipPeriod& period : clip_periods(run)) {
    by_value = by_value || period.by_value;
    check_order(period, finding);
    const std::string why = period.by_value ? why_not_by_value(period) : period.sets.problem;
    if (!why.empty()) {
      problem = why;
      left += period.steps.size();
    } else if (period.by_value) {
      check_values(run, period, values, finding);
    } else {
      check_norms(run, period, norms, finding);
    }
  }
  note_values(values, finding);
  if (!norms.last.empty())
    note_norms(run, norms, finding);
  if (!problem.empty() && finding.checked > 0)
    finding.notes.push_back(fmt::format("{} updates are not asked: {}", left, problem));
  if (finding.checked > 0 || !norms.last.empty())
    return finding;
  if (problem.empty()) {
    say_what_is_missing(run, by_value, finding);
  } else {
    finding.why = problem;
    finding.record = "a run of one rank that clips each gradient once";
  }
  return finding;
}

}  // namespace parity::laws
