// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The step of Muon:  p -= lr decay p + lr scale NS(u),  u = g + b (m - g) or m.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/laws/muon/muon_step.hpp"
#include "harness/laws/muon/step_trial.hpp"

namespace parity::laws {
namespace {

/// Matrices of more work take seconds each.
constexpr double most_work = 0x1p25;
bool is_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

bool is_zero(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

/// Returns whether a parameter only shrank by its decay, within rounding.
bool only_decays(const MuonMatrix& matrix) {
  const MuonMove& move = matrix.move;
  for (size_t i = 0; i < move.before.size(); ++i) {
    const double wanted = move.before[i] * (1 - move.lr * matrix.decay);
    const double most = 4 * move.roundoff * (std::abs(move.before[i]) + std::abs(move.after[i]));
    if (!(std::abs(move.after[i] - wanted) <= most))
      return false;
  }
  return true;
}

/// Returns what a run that follows its rules may have computed: one trial for each form that they allow.
std::vector<StepTrial> due_trials(const MuonMatrix& matrix, const MatrixBlocks& blocks) {
  const MuonRules& rules = matrix.rules;
  std::vector<StepTrial> trials;
  for (const bool nesterov : {true, false}) {
    if (rules.nesterov.value_or(nesterov) != nesterov)
      continue;
    StepTrial trial = usual_trial(matrix, nesterov);
    trial.matches = match_steps(matrix.move, *trial.input, blocks, trial.rule, possible_scales(rules),
                                rules.narrow.value_or(true));
    trials.push_back(std::move(trial));
  }
  // Where two inputs lie within the limit, the other one leaves much more of the step.
  const double least = least_rest(trials);
  std::erase_if(trials,
                [&](const StepTrial& trial) { return least_rest({trial}) > std::max(sure_rest, 4 * least); });
  return trials;
}

}  // namespace

std::string describe(StepSilence silence) {
  switch (silence) {
    case StepSilence::rounding:
      return "the roundings of the parameter hide the step";
    case StepSilence::narrow:
      return "bfloat16 leaves too little of the direction";
    case StepSilence::large:
      return "an audit orthogonalizes matrices up to 322 x 322 or as much work";
    case StepSilence::many:
      return "an audit orthogonalizes for about a minute, the first updates first";
    case StepSilence::by_blocks:
      return "each rank orthogonalizes its shard (optimizer.muon.sharding)";
    case StepSilence::shape:
      return "Newton-Schulz takes matrices";
    case StepSilence::heads:
      return "the config does not say which rows are those of q, k and v";
    case StepSilence::none:
      break;
  }
  return "";
}

MuonStepCheck check_muon_step(const MuonMatrix& matrix) {
  MuonStepCheck check;
  const MuonMove& move = matrix.move;
  MatrixBlocks blocks(matrix.shape);
  if (matrix.rules.by_blocks) {
    check.silence = StepSilence::by_blocks;
    return check;
  }
  if (blocks.empty()) {
    check.silence = StepSilence::shape;
    return check;
  }
  if (blocks.work() > most_work) {
    check.silence = StepSilence::large;
    return check;
  }
  if (matrix.rules.spent) {
    check.silence = StepSilence::many;
    return check;
  }
  if (matrix.rules.split_qkv && is_fused(matrix))
    blocks = blocks.split(matrix.rules.fused.value_or(FusedHeads{}));
  if (blocks.empty()) {
    check.silence = StepSilence::heads;
    return check;
  }
  for (const auto& [name, values] : {std::pair("the parameter before the update", &move.before),
                                     std::pair("the parameter after the update", &move.after),
                                     std::pair("the momentum", &matrix.inputs.momentum),
                                     std::pair("the gradient", &matrix.inputs.gradient)})
    if (!is_finite(*values)) {
      check.complaints.push_back({std::string(name) + " is not finite"});
      return check;
    }
  const bool stands = move.lr == 0 || (is_zero(matrix.inputs.momentum) && is_zero(matrix.inputs.gradient));
  if (stands || only_decays(matrix)) {
    if (!only_decays(matrix))
      check.complaints.push_back({move.lr == 0 ? "the parameter moves at a learning rate of 0"
                                               : "the parameter moves, though its momentum is 0"});
    else if (!stands)
      check = explain_standing(matrix, blocks);
    return check;
  }
  check.work = blocks.work();
  const std::vector<StepTrial> due = due_trials(matrix, blocks);
  accept_forms(matrix, due, check);
  if (check.forms.empty() || least_rest(due) > sure_rest)
    explain_step(matrix, blocks, due, check);
  return check;
}

}  // namespace parity::laws
