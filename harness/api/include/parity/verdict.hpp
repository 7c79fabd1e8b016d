// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parity::api {

/// What a comparison found, from best to worst.
enum class Verdict {
  identical,  ///< same bits
  rounding,   ///< the same arithmetic in another order: the gap collapses in float64
  drift,      ///< rounding caused by another environment than the golden's
  imprecise,  ///< the same mathematics, but an arm loses more than rounding
  different,  ///< another computation
  vacuous,    ///< nothing was tested
  missing,    ///< a side, quantity or golden is missing
  crashed,    ///< an arm did not finish
};

/// Returns the name of a verdict: "identical".
std::string_view name_of(Verdict verdict);

}  // namespace parity::api
