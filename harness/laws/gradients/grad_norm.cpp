// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "grad_norm": the channel is the root of the sum of the squares of all gradients, each element once.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/laws/gradients/hand_clipping.hpp"
#include "harness/laws/gradients/norm_guesses.hpp"
#include "harness/laws/gradients/set_norms.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/clip_sets.hpp"
#include "harness/laws/run/rounding.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

/// An update whose channel is not the norm of its gradients.
struct Mismatch {
  int64_t step = 0;
  double recorded = 0;
  GradientNorms norms;
  double bound = 0;                ///< relative
  bool is_before_clipping = true;  ///< the gradients, for sure
  bool is_local = false;           ///< the phase grad_local, since the trainer clips the gradients itself
};

/// Returns the channel at a step. Trainers that clip several sets of parameters record one norm for each.
std::optional<double> recorded_norm(const RecordedRun& run, int64_t step) {
  const auto first = run.channel("grad_norm", step);
  if (!first || !run.has_channel("grad_norm.1"))
    return first;
  double square = *first * *first;
  for (int i = 1; run.has_channel(fmt::format("grad_norm.{}", i)); ++i) {
    const double next = run.channel(fmt::format("grad_norm.{}", i), step).value_or(0);
    square += next * next;
  }
  return std::sqrt(square);
}

/// Returns the first guess that gives the channel at every update that departs.
std::optional<NormGuess> common_guess(const RecordedRun& run, const std::vector<Mismatch>& all) {
  std::vector<NormGuess> left;
  for (size_t i = 0; i < std::min<size_t>(all.size(), 8); ++i) {
    const Mismatch& at = all[i];
    std::set<std::string> fit;
    std::vector<NormGuess> guesses = norm_guesses(run, at.step, at.norms);
    if (at.is_local)
      guesses.insert(guesses.begin(),
                     {"the norm of the clipped gradients", gradient_norms(run, at.step, Phase::grad).norm()});
    std::erase_if(guesses, [&](const NormGuess& guess) {
      return !(std::abs(guess.value - at.recorded) <= 2 * at.bound * at.recorded);
    });
    for (const NormGuess& guess : guesses)
      fit.insert(guess.sentence);
    if (i == 0)
      left = guesses;
    else
      std::erase_if(left, [&](const NormGuess& guess) { return !fit.contains(guess.sentence); });
  }
  return left.empty() ? std::nullopt : std::optional(left.front());
}

Departure departure(const Mismatch& at, const std::optional<NormGuess>& guess, size_t updates) {
  const double factor = at.recorded / at.norms.norm();
  Departure found;
  if (!std::isfinite(at.recorded))
    return {fmt::format("grad_norm is {} at update {}, where all gradients are finite", at.recorded, at.step),
            at.step,
            "",
            {},
            {}};
  found.sentence = fmt::format("grad_norm is {:.{}g} times the norm of the gradients ({:.9g} for {:.9g})",
                               factor, std::abs(factor - 1) < 2e-3 ? 9 : 4, at.recorded, at.norms.norm());
  found.sentence += guess ? ": it equals " + guess->sentence : ": no part of the gradients gives it";
  if (updates > 1)
    found.sentence += fmt::format("; {} updates depart like this", updates);
  found.step = at.step;
  found.factor = factor;
  if (guess) {
    found.tensor = guess->tensor;
    found.rank = guess->rank;
  }
  return found;
}

void judge(const RecordedRun& run, const std::vector<Mismatch>& all, Finding& finding) {
  if (all.empty())
    return;
  const Mismatch& first = all.front();
  const std::optional<NormGuess> guess = common_guess(run, all);
  const bool complete = has_all_gradients(run, first.step, first.norms.names);
  if (guess || !(first.recorded >= first.norms.norm()) || (complete && first.is_before_clipping)) {
    finding.departures.push_back(departure(first, guess, all.size()));
    return;
  }
  finding.checked = 0;
  if (complete) {
    finding.why = fmt::format(
        "the gradients that the optimizer took at update {} give {:.4g}, less than grad_norm {:.4g}: the "
        "trainer may have clipped them itself",
        first.step, first.norms.norm(), first.recorded);
    finding.record =
        hand_scaling(run, first.step) == HandScaling::unknown
            ? "phase grad_local of all parameters on one rank, and max_norm, or a run that clips "
              "by torch.nn.utils.clip_grad_norm_"
            : "max_norm, or a run that clips by torch.nn.utils.clip_grad_norm_; grad_local shows "
              "no limit";
    return;
  }
  finding.why = fmt::format(
      "the {} gradients of update {} that were recorded give {:.4g}, less than grad_norm {:.4g}; others may "
      "be "
      "missing in the trace",
      first.norms.names.size(), first.step, first.norms.norm(), first.recorded);
  finding.record = "phase grad of all parameters, or phase param as well with the channel update_norm";
}

/// A run may say that it skipped an update because a gradient was not finite; its norm is then 0.
bool is_skipped(const RecordedRun& run, int64_t step, double recorded) {
  return recorded == 0 && run.channel("update_skipped", step).value_or(0) == 1;
}

void add_not_finite(const RecordedRun& run, int64_t step, double recorded, const std::string& name,
                    Finding& finding) {
  if (std::isfinite(recorded) && !is_skipped(run, step, recorded) && run.norm({step, Phase::grad, name}))
    finding.departures.push_back(
        {fmt::format("grad_norm is {:.6g}, but the gradient of {} is not finite", recorded, name),
         step,
         name,
         {},
         {}});
}

/// Returns the norms after clipping by value if the channel has them. A trainer may log either, since PyTorch
/// computes no norm for such clipping.
std::optional<GradientNorms> norms_after_value(const RecordedRun& run, int64_t step, double recorded,
                                               const GradientNorms& before) {
  if (!clips_by_value(run, step))
    return std::nullopt;
  GradientNorms after = gradient_norms(run, step, Phase::grad_clipped);
  const double bound = norm_bound(after.elements, after.roundoff) * after.norm();
  const bool fits =
      after.bad.empty() && after.names == before.names && std::abs(recorded - after.norm()) <= bound;
  return fits ? std::optional(std::move(after)) : std::nullopt;
}

}  // namespace

Finding ask_grad_norm(const RecordedRun& run) {
  Finding finding;
  if (const std::vector<ClipPeriod> periods = clip_periods(run);
      !std::ranges::all_of(periods, &ClipPeriod::is_plain))
    return ask_set_norms(run, periods);
  std::vector<Mismatch> mismatches;
  size_t after_value = 0;
  const std::optional<HandClipping> by_hand = find_hand_clipping(run);
  for (const int64_t step : run.steps()) {
    const auto recorded = recorded_norm(run, step);
    if (!recorded)
      continue;
    const bool is_local = by_hand && by_hand->steps.contains(step);
    GradientNorms norms = gradient_norms(run, step, is_local ? Phase::grad_local : Phase::grad);
    if (!norms.bad.empty()) {
      add_not_finite(run, step, *recorded, norms.bad, finding);
      continue;
    }
    if (norms.names.empty())
      continue;
    if (std::optional<GradientNorms> after = norms_after_value(run, step, *recorded, norms)) {
      norms = std::move(*after);
      ++after_value;
    }
    if (by_hand && by_hand->order != 2)
      if (const auto other =
              set_norm(run, step, {.order = by_hand->order}, is_local ? Phase::grad_local : Phase::grad);
          other && other->agrees(*recorded)) {
        finding.compare(std::abs(*recorded - other->value), other->bound * other->value);
        continue;
      }
    const double bound = norm_bound(norms.elements, norms.roundoff);
    if (!finding.compare(std::abs(*recorded - norms.norm()), bound * norms.norm()))
      mismatches.push_back(
          {step, *recorded, std::move(norms), bound,
           by_hand || !may_be_clipped_by_hand(run, step) || hand_scaling(run, step) == HandScaling::none,
           is_local});
  }
  judge(run, mismatches, finding);
  if (after_value > 0)
    finding.notes.push_back(
        fmt::format("grad_norm is the norm after clipping by value at {} update(s)", after_value));
  if (by_hand && finding.checked > 0)
    finding.notes.push_back(
        fmt::format("the trainer clips to {:.4g} itself: at {} update(s) grad_norm was compared with the "
                    "phase grad_local",
                    by_hand->max_norm, by_hand->steps.size()));
  if (by_hand && by_hand->order != 2)
    finding.notes.push_back(fmt::format("grad_norm is the norm of order {}", by_hand->order));
  if (finding.answer() == Answer::not_asked && finding.why.empty()) {
    const bool has_norm = run.has_channel("grad_norm");
    finding.why = has_norm ? "no gradients were recorded" : "the trace has no channel grad_norm";
    finding.record = has_norm ? "phase grad of all parameters" : "the channel grad_norm";
  }
  return finding;
}

}  // namespace parity::laws
