// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

namespace parity {

/// What a comparison found, from best to worst. Source: DESIGN.md, "Judging".
enum class Verdict {
  identical,  ///< the same bits
  rounding,   ///< another order of the same arithmetic: the gap collapses in float64
  drift,      ///< rounding that comes from another environment than the golden's
  imprecise,  ///< the same mathematics, but an arm loses more than rounding: a narrower type, a cancelling
              ///< sum
  different,  ///< another computation
  vacuous,    ///< nothing was put to the test
  missing,    ///< a side, quantity or golden is not there
  crashed,    ///< an arm did not finish
};

template <>
struct EnumNames<Verdict> {
  static constexpr std::string_view what = "verdict";
  static constexpr std::array<std::string_view, 8> names = {"identical", "rounding", "drift",   "imprecise",
                                                            "different", "vacuous",  "missing", "crashed"};
};
static_assert(EnumNames<Verdict>::names.size() == static_cast<size_t>(Verdict::crashed) + 1);

}  // namespace parity
