// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/options/oracle.hpp"

namespace parity::bisect {

/// The effect of one option of a cause by itself.
struct OptionAlone {
  size_t toggle = 0;
  Likeness likeness = Likeness::unknown;
  CurveGap gap;  ///< to the run without it, up to the step at which the sides diverge
};

/// A set of options that causes a difference.
struct OptionCause {
  Toggles on;                                ///< all of them are necessary
  Toggles needs;                             ///< also switched on, since the trainer requires them
  Likeness needs_likeness = Likeness::good;  ///< of `needs` alone
  std::vector<OptionAlone> alone;            ///< each option by itself, if there are several
  CurveGap gap;                              ///< where the run with them first diverges from the one without

  /// Returns whether each option has an effect by itself, so that they are independent.
  bool independent() const;
};

/// One search between two runs.
struct OptionRound {
  Toggles low, high;    ///< options of its good and its bad run
  bool hidden = false;  ///< whether it searched effects that show only with earlier causes off
  CurveGap first_bit, divergence, largest;
  double tau = 0;
  std::string failure;  ///< failure of the bad run, if that is the difference
  OptionCause cause;
  std::vector<OptionAnswer> answers;
  Effort effort;
};

/// The remaining gap between two runs that should agree.
struct ResidualGap {
  CurveGap gap;
  bool agrees = true;  ///< whether the bits are equal, or differ by no more than rounding
  std::string why;     ///< evidence: "bitwise identical", "the gap falls by 2^28 in float64"
};

/// The findings of a search for options.
struct OptionFindings {
  enum class Ending {
    one_config,  ///< the sides have the same config
    no_difference,
    flaky,  ///< the good side differs from itself as much as from the bad one
    causes,
  };
  Ending ending = Ending::causes;
  std::vector<OptionToggle> toggles;
  std::vector<std::string> channels;
  std::vector<OptionRound> rounds;
  /// Between the run with only the causes on and the bad side, over all steps.
  ResidualGap found_alone;
  /// Between the run with only the other options on and the good side. Not set if there is no other option to
  /// try.
  std::optional<ResidualGap> rest_alone;
  Toggles rest;                     ///< options of the run of `rest_alone`
  std::vector<size_t> not_without;  ///< other options that the trainer refuses without a cause
  std::vector<std::string> notes;
  Effort sides, verification;
  int64_t steps = 0;  ///< steps that both sides have
  /// Number of distinct hybrids, verification included; without the sides themselves, twins and repeats.
  int64_t hybrids = 0;
  CurveGap noise;  ///< largest gap between repeats
};

}  // namespace parity::bisect
