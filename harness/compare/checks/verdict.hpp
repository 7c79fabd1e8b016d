// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

namespace parity::compare {

/// What a comparison found, from best to worst. Source: README.md, "Verdicts".
enum class Verdict {
  identical,  ///< same bits
  /// The same arithmetic in another order: the gap collapses in float64.
  rounding,
  /// Rounding caused by another environment than the golden's.
  drift,
  /// The same mathematics, but an arm loses more than rounding: a narrower type, a cancelling sum.
  imprecise,
  different,  ///< another computation
  vacuous,    ///< nothing was tested
  missing,    ///< a side, quantity or golden is missing
  crashed,    ///< an arm did not finish
};

constexpr auto enum_names(Verdict) {
  return named<Verdict::crashed>("verdict", {"identical", "rounding", "drift", "imprecise", "different",
                                             "vacuous", "missing", "crashed"});
}

}  // namespace parity::compare
