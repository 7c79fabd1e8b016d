// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/bisect/options/runs.hpp"
#include "harness/bisect/options/side_classifier.hpp"

namespace parity {

/// What became of one question.
struct OptionAnswer {
  Toggles on;     ///< as asked
  Toggles added;  ///< what had to be switched on with them
  Likeness likeness = Likeness::unknown;
  CurveGap from_good;   ///< up to the step at which the sides part
  std::string failure;  ///< why there is no run; "" if there is one
  int looks = 1;        ///< runs of this one config
};

/// How the runs of one config may differ among themselves.
enum class Noise {
  none,      ///< as far as we know they do not
  bad_side,  ///< the bad side shows its difference in some of its runs only
};

/// Answers a search among the options `free`, with the options `low` on in every run.
///
/// A config that the trainer refuses is mended: what its message names goes with what it complains of, from
/// then on in every question. So a question is about a set with all that it needs.
class OptionOracle {
 public:
  /// \param needs  learnt so far; what is learnt here is added
  OptionOracle(OptionRuns& runs, const SideClassifier& sides, const RunCurves& good, Toggles low,
               Toggles free, std::vector<OptionNeed>& needs);

  void set_noise(Noise noise) { noise_ = noise; }
  void on_answer(std::function<void(const OptionAnswer&)> listener) { listener_ = std::move(listener); }

  Likeness ask(const Toggles& on, Reach reach);
  /// What is switched on when these are, of the options that are free.
  Toggles closed(const Toggles& on) const;
  const std::vector<OptionAnswer>& answers() const { return answers_; }
  /// The run with these and what they need, as far as it was asked for.
  const RunCurves& run(const Toggles& on, Reach reach);

 private:
  Hybrid hybrid(const Toggles& closed, Reach reach, int repeat) const;
  OptionAnswer answer(const Toggles& on, Reach reach);
  void look_again(OptionAnswer& answer, const Toggles& closed, Reach reach);

  OptionRuns& runs_;
  const SideClassifier& sides_;
  const RunCurves& good_;
  Toggles low_, free_;
  std::vector<OptionNeed>& needs_;
  Noise noise_ = Noise::none;
  std::function<void(const OptionAnswer&)> listener_;
  std::vector<OptionAnswer> answers_;
};

}  // namespace parity
