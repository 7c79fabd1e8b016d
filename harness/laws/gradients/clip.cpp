// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "clip": one factor min(1, max_norm / (grad_norm + 1e-6)) scales every gradient. Of a run that clips
// sets of gradients by a call each, every set has its own factor. Of a run that clips by value,
// ask_clip_by_value() asks it.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/laws/gradients/clip_by_value.hpp"
#include "harness/laws/gradients/norm_guesses.hpp"
#include "harness/laws/gradients/set_norms.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/clip_sets.hpp"
#include "harness/laws/run/recorded_run.hpp"
#include "harness/laws/run/rounding.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// How clipping changed one tensor.
struct Scaled {
  std::string name;
  double factor = 1;       ///< least squares, or the quotient of the norms
  double bound = 0;        ///< of the factor, relative
  double weight = 0;       ///< squared norm of the gradient
  bool one_factor = true;  ///< whether the factor gives every element
  double clamp = 0;        ///< if the elements were cut off at one size instead: that size
};

struct ClipStep {
  int64_t step = 0;
  std::vector<Scaled> tensors = {};
  double factor = 1;  ///< of most of the gradient
};

/// Returns the size at which all elements are cut off, if that is what happened.
double clamp_of(const std::vector<double>& before, const std::vector<double>& after, double roundoff) {
  double limit = 0;
  for (const double value : after)
    limit = std::max(limit, std::abs(value));
  bool cuts = false;
  for (size_t i = 0; i < before.size(); ++i) {
    const double wanted = std::clamp(before[i], -limit, limit);
    if (!(std::abs(wanted - after[i]) <= 2 * roundoff * limit))
      return 0;
    cuts = cuts || std::abs(before[i]) > limit * (1 + 4 * roundoff);
  }
  return cuts ? limit : 0;
}

/// Returns nothing for a tensor of zeros, which any factor leaves alone.
std::optional<Scaled> scaled_of(const RecordedRun& run, int64_t step, const std::string& name) {
  const TensorKey before{step, Phase::grad, name}, after{step, Phase::grad_clipped, name};
  const double u = std::max(run.roundoff(before), run.roundoff(after));
  Scaled scaled{.name = name, .bound = 4 * u + own_rounding(run.size(before))};
  if (!run.has_values(before) || !run.has_values(after)) {
    const auto a = run.norm(before), b = run.norm(after);
    if (!a || !b || *a == 0)
      return std::nullopt;
    scaled.factor = *b / *a;
    scaled.weight = *a * *a;
    return scaled;
  }
  const std::vector<double> a = run.values(before), b = run.values(after);
  if (a.size() != b.size())
    return std::nullopt;
  double aa = 0, ab = 0, smallest = 1e-37;  // results below float32's normal numbers lose digits
  for (size_t i = 0; i < a.size(); ++i) {
    aa += a[i] * a[i];
    ab += a[i] * b[i];
  }
  if (aa == 0)
    return std::nullopt;
  scaled.factor = ab / aa;
  scaled.weight = aa;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(b[i] - scaled.factor * a[i]) <=
          scaled.bound * std::abs(scaled.factor * a[i]) + smallest)) {
      scaled.one_factor = false;
      scaled.clamp = clamp_of(a, b, u);
      break;
    }
  return scaled;
}

/// Returns the factor that carries most of the gradient's weight.
double main_factor(const std::vector<Scaled>& tensors) {
  double best = 1, most = -1;
  for (const Scaled& one : tensors) {
    double weight = 0;
    for (const Scaled& other : tensors)
      weight += std::abs(other.factor - one.factor) <= (one.bound + other.bound) * std::abs(one.factor)
                    ? other.weight
                    : 0;
    if (weight > most) {
      most = weight;
      best = one.factor;
    }
  }
  return best;
}

std::vector<ClipStep> read_steps(const RecordedRun& run, const ClipSet& set) {
  std::vector<ClipStep> steps;
  for (const int64_t step : run.steps()) {
    if (run.channel("update_skipped", step).value_or(0) == 1)
      continue;  // its gradients are not finite, and nobody clips them
    ClipStep clip{.step = step};
    const std::vector<std::string>& after = run.names(step, Phase::grad_clipped);
    for (const std::string& name : run.names(step, Phase::grad))
      if (set.has(name) && std::ranges::binary_search(after, name))
        if (std::optional<Scaled> scaled = scaled_of(run, step, name))
          clip.tensors.push_back(std::move(*scaled));
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
  return begin + fmt::format(": it is as if max_norm were {:.6g}", f * want.norm);
}

/// At how many updates clipping acted, and by which convention.
struct Activity {
  int64_t active = 0, with_margin = 0, without = 0, unknown = 0;
};

/// Compares the factors of a set with max_norm and grad_norm.
void check_factors(const RecordedRun& run, const ClipSet& set, const std::vector<ClipStep>& steps,
                   Activity& activity, Finding& finding) {
  int64_t wrong = 0;
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
    if (finding.compare(error(want), 2 * bound(want) * std::abs(want.with_margin())) || ++wrong > 1)
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

}  // namespace

Finding ask_clip(const RecordedRun& run) {
  if (clips_by_value(run))
    return ask_clip_by_value(run);
  Finding finding;
  const ClipSets sets = clip_sets(run);
  if (!sets.problem.empty()) {
    finding.why = sets.problem;
    finding.record = "a run of one rank that clips each gradient once";
    return finding;
  }
  Activity activity;
  int64_t odd = 0;
  bool knows = false;
  std::vector<ClipStep> last;
  for (const ClipSet& set : sets.list) {
    std::vector<ClipStep> steps = read_steps(run, set);
    if (steps.empty())
      continue;
    for (const ClipStep& clip : steps) {
      odd += check_tensors(clip, odd == 0, finding);
      knows = knows || !expected_factors(run, clip.step, set).empty();
    }
    check_factors(run, set, steps, activity, finding);
    last = std::move(steps);
  }
  if (last.empty()) {
    const bool zero = !run.all_names(Phase::grad).empty() && !run.all_names(Phase::grad_clipped).empty();
    finding.why = zero ? "no update has a gradient before and after clipping that is not zero"
                       : "no gradient was recorded before and after clipping";
    finding.record = "phases grad and grad_clipped of the same updates";
    return finding;
  }
  if (odd > 1)
    finding.notes.push_back(fmt::format("tensors are scaled by different factors at {} updates", odd));
  if (knows)
    note_activity(activity, sets.has_calls ? "clippings" : "updates", finding);
  else if (sets.is_plain())
    infer_max_norm(run, last, finding);
  else
    finding.notes.emplace_back("the factors were not compared with max_norm");
  return finding;
}

}  // namespace parity::laws
