// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/bisect/options/runs.hpp"
#include "harness/bisect/options/side_classifier.hpp"

namespace parity::bisect {

/// The answer to one question.
struct OptionAnswer {
  Toggles on;     ///< the options of the question
  Toggles added;  ///< options that the trainer requires with them
  Likeness likeness = Likeness::unknown;
  CurveGap from_good;   ///< gap to the good run, up to the step at which the sides diverge
  std::string failure;  ///< why there is no run; "" if there is one
  int looks = 1;        ///< number of runs of this config
};

/// The differences between runs of one config.
enum class Noise {
  none,      ///< none observed
  bad_side,  ///< only some runs of the bad side show its difference
};

/// Answers a search among the options `free`, with the options `low` on in every run.
///
/// If the trainer refuses a config, the oracle learns from its message which options go together, and
/// combines them in every later question. So each question is about a set with everything that it needs.
class OptionOracle {
 public:
  /// \param needs  the needs known so far; the oracle adds those that it learns
  OptionOracle(OptionRuns& runs, const SideClassifier& sides, const RunCurves& good, Toggles low,
               Toggles free, std::vector<OptionNeed>& needs);

  void set_noise(Noise noise) { noise_ = noise; }
  void on_answer(std::function<void(const OptionAnswer&)> listener) { listener_ = std::move(listener); }

  Likeness ask(const Toggles& on, Reach reach);
  /// Returns the free options that are on when these are: the options and all that they need.
  Toggles closed(const Toggles& on) const;
  const std::vector<OptionAnswer>& answers() const { return answers_; }
  /// Returns the run with these options and what they need, up to the given reach.
  const RunCurves& run(const Toggles& on, Reach reach);

 private:
  Hybrid hybrid(const Toggles& closed, Reach reach, int repeat) const;
  OptionAnswer answer(const Toggles& on, Reach reach);
  void confirm_by_repeats(OptionAnswer& answer, const Toggles& closed, Reach reach);

  OptionRuns& runs_;
  const SideClassifier& sides_;
  const RunCurves& good_;
  Toggles low_, free_;
  std::vector<OptionNeed>& needs_;
  Noise noise_ = Noise::none;
  std::function<void(const OptionAnswer&)> listener_;
  std::vector<OptionAnswer> answers_;
};

}  // namespace parity::bisect
