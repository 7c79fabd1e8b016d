// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/muon/step_trial.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace parity::laws {
namespace {

const std::vector<MuonScale> all_scales = {MuonScale::original, MuonScale::match_rms_adamw,
                                           MuonScale::unit_rms_norm, MuonScale::spectral, MuonScale::none};
/// The same, what is missing before what is another.
const std::vector<MuonScale> wrong_scales = {MuonScale::none, MuonScale::original, MuonScale::match_rms_adamw,
                                             MuonScale::unit_rms_norm, MuonScale::spectral};

/// Compares the decay that a match measured with the one that is due.
void add_decay(const MuonMatrix& matrix, const StepMatch& match, MuonStepCheck& check) {
  const double due = matrix.move.lr * matrix.decay, error = std::abs(match.shrunk - due);
  if (error <= match.shrunk_error) {
    if (std::isfinite(match.shrunk_error))
      check.worst = std::max(check.worst, error / match.shrunk_error);
    return;
  }
  if (std::abs(match.shrunk) <= match.shrunk_error)
    check.complaints.push_back(
        {fmt::format("the parameter is updated without the weight decay {:.6g}", matrix.decay), 0.0});
  else
    check.complaints.push_back(
        {fmt::format("the parameter is updated with a weight decay of {:.2g} where {:.6g} is recorded",
                     match.shrunk / matrix.move.lr, matrix.decay)});
}

/// Returns a factor as text, a whole number or 1 over one if that lies within the limit.
std::string factor_text(double factor, double limit) {
  const double whole = std::round(factor), parts = std::round(1 / factor);
  if (whole >= 2 && std::abs(factor / whole - 1) <= limit)
    return fmt::format("{} times", whole);
  if (parts >= 2 && std::abs(factor * parts - 1) <= limit)
    return fmt::format("1/{} of", parts);
  return fmt::format("{:.{}g} times", factor, std::abs(factor - 1) < 0.1 ? 3 : 2);
}

/// Returns "that of Newton-Schulz with the factor sqrt(rows / columns)".
std::string step_text(MuonScale scale) {
  return scale == MuonScale::none ? "that of Newton-Schulz"
                                  : "that of Newton-Schulz with the factor " + describe(scale);
}

}  // namespace

bool StepTrial::has_direction() const {
  return std::ranges::any_of(matches, &StepMatch::has_direction);
}

std::vector<MuonScale> possible_scales(const MuonRules& rules) {
  return rules.scale ? std::vector{*rules.scale} : all_scales;
}

StepTrial usual_trial(const MuonMatrix& matrix, bool nesterov) {
  StepTrial trial;
  trial.form.nesterov = nesterov;
  trial.rule.steps = matrix.rules.steps.value_or(schulz_steps(SchulzTable::keller_jordan, 5));
  trial.rule.eps = matrix.rules.eps.value_or(trial.rule.eps);
  trial.form.steps = trial.rule.steps.size();
  trial.input = nesterov ? &matrix.inputs.nesterov : &matrix.inputs.momentum;
  return trial;
}

double least_rest(const std::vector<StepTrial>& trials) {
  double least = INFINITY;
  for (const StepTrial& trial : trials)
    for (const StepMatch& match : trial.matches)
      if (match.rest < least)
        least = match.rest;
  return least;
}

bool accept_forms(const MuonMatrix& matrix, const std::vector<StepTrial>& trials, MuonStepCheck& check) {
  const StepMatch* best = nullptr;
  for (const StepTrial& trial : trials)
    for (const StepMatch& match : trial.matches)
      if (match.has_direction() && match.has_factor()) {
        MuonForm form = trial.form;
        form.scale = match.scale;
        check.forms.insert(form);
        if (!best || match.rest < best->rest)
          best = &match;
      }
  if (!best)
    return false;
  check.arithmetic = best->arithmetic;
  check.worst = std::max(best->rest / best->limit, std::abs(best->factor - 1) / best->factor_limit);
  add_decay(matrix, *best, check);
  return true;
}

void complain_of_size(const MuonMatrix& matrix, const MatrixBlocks& blocks, const StepTrial& trial,
                      MuonStepCheck& check) {
  const StepMatch& match = *std::ranges::find_if(trial.matches, &StepMatch::has_direction);
  const MuonScale due = match.scale;
  const std::vector<StepMatch> others = match_steps(matrix.move, *trial.input, blocks, trial.rule,
                                                    wrong_scales, matrix.rules.narrow.value_or(true));
  const auto other = std::ranges::find_if(
      others, [](const StepMatch& each) { return each.has_direction() && each.has_factor(); });
  if (other == others.end())
    check.complaints.push_back(
        {fmt::format("the step is {} {}", factor_text(match.factor, match.factor_limit), step_text(due)),
         match.factor});
  else if (other->scale == MuonScale::none)
    check.complaints.push_back({"the step lacks the factor " + describe(due), match.factor});
  else
    check.complaints.push_back({fmt::format("the step has the factor {}, where it is to have {}",
                                            describe(other->scale), describe(due)),
                                match.factor});
  add_decay(matrix, match, check);
}

}  // namespace parity::laws
