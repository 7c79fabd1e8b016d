// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/options/oracle.hpp"

namespace parity {

/// One option of a culprit, by itself.
struct OptionAlone {
  size_t toggle = 0;
  Likeness likeness = Likeness::unknown;
  CurveGap gap;  ///< from the run without it, up to the step at which the sides part
};

/// Options that carry a difference.
struct OptionCause {
  Toggles on;                                ///< none of them can be left out
  Toggles needs;                             ///< switched on with them, since without these they are refused
  Likeness needs_likeness = Likeness::good;  ///< of these alone
  std::vector<OptionAlone> alone;            ///< where there are several: each by itself
  CurveGap gap;                              ///< where the run with them first parts from the one without

  /// Whether each changes something by itself: then they are independent.
  bool independent() const;
};

/// One search between two runs.
struct OptionRound {
  Toggles low, high;    ///< what was on in its good and its bad side
  bool hidden = false;  ///< looked for what has an effect only where the culprits before are off
  CurveGap first_bit, parting, largest;
  double tau = 0;
  std::string failure;  ///< how the bad side failed, if that is the difference
  OptionCause culprit;
  std::vector<OptionAnswer> answers;
  Effort effort;
};

/// What is left between two runs that should agree.
struct ResidualGap {
  CurveGap gap;
  bool agrees = true;  ///< the same bits, or no more than rounding
  std::string why;     ///< how that was told: "the same bits", "collapses by 2^28 in float64"
};

/// All that a search for options found.
struct OptionFindings {
  enum class Ending {
    one_config,  ///< the sides do not differ in their configs
    no_difference,
    flaky,  ///< the good side differs from itself as much as from the bad one
    culprits,
  };
  Ending ending = Ending::culprits;
  std::vector<OptionToggle> toggles;
  std::vector<std::string> channels;
  std::vector<OptionRound> rounds;
  ResidualGap found_alone;  ///< between the culprits without the rest and the bad side, over whole runs
  std::optional<ResidualGap> rest_alone;  ///< between the rest without the culprits and the good side
  Toggles rest;                           ///< what was on in that
  std::vector<size_t> not_without;        ///< of the rest: refused without a culprit
  std::vector<std::string> notes;
  Effort sides, verification;
  int64_t steps = 0;    ///< that both sides have
  int64_t hybrids = 0;  ///< runs that were asked for, verification included; neither side, no twin, no repeat
  CurveGap noise;       ///< between repeats
};

}  // namespace parity
