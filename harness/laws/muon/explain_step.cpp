// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "harness/laws/muon/step_trial.hpp"

namespace parity::laws {
namespace {

/// A limit of more than this share of the step decides nothing.
constexpr double most_limit = 0.5;
constexpr size_t most_tried_steps = 12;

std::string name_of_input(bool nesterov) {
  return nesterov ? "Nesterov's momentum" : "the momentum without Nesterov's";
}

/// Returns whether two inputs have the same direction, as momentum and gradient at the first update. Only
/// roundings then tell which of them was orthogonalized.
bool are_parallel(const std::vector<double>& x, const std::vector<double>& y) {
  double xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i];
    xy += x[i] * y[i];
    yy += y[i] * y[i];
  }
  return xy * xy >= (1 - 0x1p-12) * xx * yy;
}

/// The search for what a step is. Each search returns whether it found something.
class StepSearch {
 public:
  StepSearch(const MuonMatrix& matrix, const MatrixBlocks& blocks, const std::vector<StepTrial>& due,
             MuonStepCheck& check)
      : matrix_(matrix), blocks_(blocks), due_(due), check_(check), rest_(least_rest(due)) {}

  bool is_hidden() const {
    return std::ranges::any_of(due_, [](const StepTrial& trial) {
      return std::ranges::any_of(trial.matches,
                                 [](const StepMatch& match) { return match.hidden_if_due > 0.25; });
    });
  }

  bool find_other_input() {
    const MuonInputs& inputs = matrix_.inputs;
    std::vector<std::pair<std::string, const std::vector<double>*>> others = {
        {"the gradient", &inputs.gradient},
        {"the gradient before clipping", &inputs.unclipped},
        {"the momentum before the update", &inputs.momentum_before}};
    if (const auto nesterov = matrix_.rules.nesterov)
      others.insert(others.begin(),
                    {name_of_input(!*nesterov), *nesterov ? &inputs.momentum : &inputs.nesterov});
    const std::string* best = nullptr;
    double least = INFINITY;
    for (const auto& [text, input] : others) {
      StepTrial trial = due_.front();
      if (input->size() != matrix_.move.before.size() || are_parallel(*input, *trial.input))
        continue;
      trial.input = input;
      if (is_better(trial, blocks_) && least_rest({trial}) < least) {
        best = &text;
        least = least_rest({trial});
      }
    }
    if (best)
      complain(fmt::format("the step orthogonalizes {} where {} is due", *best,
                           name_of_input(due_.front().form.nesterov)));
    return best != nullptr;
  }

  bool find_other_blocks() {
    StepTrial trial = due_.front();
    if (blocks_.is_split() && matrix_.rules.split_qkv && is_better(trial, MatrixBlocks(matrix_.shape))) {
      complain("q, k and v are orthogonalized as one matrix, where the config splits them");
      return true;
    }
    const MatrixBlocks apart = matrix_.rules.fused && !matrix_.rules.split_qkv && is_fused(matrix_)
                                   ? blocks_.split(*matrix_.rules.fused)
                                   : blocks_.thirds();
    if (apart.empty() || !is_better(trial, apart))
      return false;
    if (matrix_.rules.fused)
      complain("q, k and v are orthogonalized apart, where the config takes them as one matrix");
    else if (matrix_.rules.scale)
      complain("each third of the rows is orthogonalized as a matrix of its own");
    else
      accept(trial, apart);
    return true;
  }

  /// Other numbers of steps and other coefficients: a convention if the run does not name its own.
  bool find_other_steps() {
    std::optional<StepTrial> best;
    for (const auto& [table, count] : other_steps()) {
      StepTrial trial = due_.front();
      trial.form.table = table;
      trial.rule.steps = schulz_steps(table, count);
      trial.form.steps = trial.rule.steps.size();
      if (trial.rule.steps != due_.front().rule.steps && is_better(trial, blocks_) &&
          (!best || least_rest({trial}) < least_rest({*best})))
        best = std::move(trial);
    }
    if (!best)
      return false;
    if (matrix_.rules.steps)
      complain(count_text(*best));
    else
      accept(*best, blocks_);
    return true;
  }

  bool find_no_orthogonalization() {
    for (const StepTrial& trial : due_) {
      const StepMatch match = measure_step(matrix_.move, blocks_.normalized(*trial.input));
      if (!(match.factor > 0 && match.rest <= 0x1p-6 + match.hidden))
        continue;
      complain(fmt::format("the step follows {} itself, which is not orthogonalized",
                           name_of_input(trial.form.nesterov)));
      return true;
    }
    return false;
  }

  bool find_other_sign() {
    for (const StepTrial& trial : due_)
      for (const StepMatch& match : trial.matches)
        if (match.factor < 0 && match.rest <= match.limit) {
          complain("the step goes up the gradient", match.factor);
          return true;
        }
    return false;
  }

  bool find_bfloat16() {
    if (matrix_.rules.narrow.value_or(true))
      return false;
    StepTrial trial = due_.front();
    trial.matches =
        match_steps(matrix_.move, *trial.input, blocks_, trial.rule, possible_scales(matrix_.rules), true);
    if (!trial.has_direction())
      return false;
    complain("Newton-Schulz computes in bfloat16, where the config names float32");
    return true;
  }

  /// Accepts what bfloat16 in another order of operations may give.
  bool find_unknown_arithmetic() {
    if (!matrix_.rules.narrow.value_or(true))
      return false;
    for (StepTrial trial : due_) {
      trial.matches = match_unknown_arithmetic(matrix_.move, *trial.input, blocks_, trial.rule,
                                               possible_scales(matrix_.rules));
      if (!(trial.matches.front().limit <= most_limit)) {
        check_.silence = StepSilence::narrow;
        return true;
      }
      if (!trial.has_direction())
        continue;
      accept(trial, blocks_);
      check_.arithmetic.reset();
      return true;
    }
    return false;
  }

  void complain(std::string text, std::optional<double> factor = {}) {
    check_.forms.clear();
    check_.complaints = {{std::move(text), factor}};
  }

 private:
  /// Takes a trial that gives the direction for the convention of the run.
  void accept(const StepTrial& trial, const MatrixBlocks& blocks) {
    check_ = {.work = check_.work};
    if (!accept_forms(matrix_, {trial}, check_))
      complain_of_size(matrix_, blocks, trial, check_);
  }

  /// Measures a trial. \return whether it gives the direction, and clearly better than the rules do
  bool is_better(StepTrial& trial, const MatrixBlocks& blocks) {
    trial.matches = match_steps(matrix_.move, *trial.input, blocks, trial.rule,
                                possible_scales(matrix_.rules), matrix_.rules.narrow.value_or(true));
    return trial.has_direction() && least_rest({trial}) < rest_ / (check_.forms.empty() ? 2 : 4);
  }

  static std::vector<std::pair<SchulzTable, size_t>> other_steps() {
    std::vector<std::pair<SchulzTable, size_t>> all;
    for (size_t count = 1; count <= most_tried_steps; ++count)
      all.emplace_back(SchulzTable::keller_jordan, count);
    all.emplace_back(SchulzTable::quintic, 5);
    for (size_t count = 5; count <= 8; ++count)
      all.emplace_back(SchulzTable::polar_express, count);
    return all;
  }

  std::string count_text(const StepTrial& trial) const {
    const std::vector<Quintic>& due = due_.front().rule.steps;
    if (due.front() == trial.rule.steps.front())
      return fmt::format("{} steps of Newton-Schulz are taken where {} are recorded", trial.form.steps,
                         due.size());
    return fmt::format("Newton-Schulz has the coefficients {} in {} steps, where others are recorded",
                       name_of(trial.form.table), trial.form.steps);
  }

  const MuonMatrix& matrix_;
  const MatrixBlocks& blocks_;
  const std::vector<StepTrial>& due_;
  MuonStepCheck& check_;
  double rest_;
};

}  // namespace

MuonStepCheck explain_standing(const MuonMatrix& matrix, const MatrixBlocks& blocks) {
  MuonStepCheck check;
  const StepTrial trial = usual_trial(matrix, matrix.rules.nesterov.value_or(true));
  const std::vector<double> direction =
      blocks.orthogonalized(*trial.input, trial.rule, SchulzArithmetic::exact);
  for (const MuonScale scale : possible_scales(matrix.rules))
    if (!(measure_step(matrix.move, blocks.scaled(direction, scale)).hidden_if_due <= 0.25)) {
      check.silence = StepSilence::rounding;
      return check;
    }
  check.complaints.push_back({matrix.move.before == matrix.move.after
                                  ? "left out: the parameter did not change"
                                  : "left out: only the weight decay changes the parameter",
                              0.0});
  return check;
}

void explain_step(const MuonMatrix& matrix, const MatrixBlocks& blocks, const std::vector<StepTrial>& due,
                  MuonStepCheck& check) {
  StepSearch search(matrix, blocks, due, check);
  const auto right = std::ranges::find_if(due, &StepTrial::has_direction);
  if (right != due.end() && least_rest(due) <= sure_rest) {
    complain_of_size(matrix, blocks, *right, check);
    return;
  }
  if (search.find_other_input() || search.find_other_blocks())
    return;
  const bool doubtful = check.forms.empty() || least_rest(due) > 2 * sure_rest;
  if (doubtful && search.find_other_steps())
    return;
  if (!check.forms.empty())
    return;
  if (right != due.end()) {
    complain_of_size(matrix, blocks, *right, check);
    return;
  }
  if (search.find_no_orthogonalization() || search.find_other_sign() || search.find_bfloat16())
    return;
  if (search.is_hidden())
    check.silence = StepSilence::rounding;
  else if (!search.find_unknown_arithmetic())
    search.complain("no known formula gives the step");
}

}  // namespace parity::laws
