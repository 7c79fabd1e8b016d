// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "harness/results/verdict_names.hpp"

namespace parity::reports {

/// How a verdict of results.json is shown. The sign distinguishes verdicts without colour.
struct VerdictLook {
  std::string_view name;
  std::string_view sign;
  std::string_view meaning;
};

/// From best to worst; the names of results::verdict_names.
inline constexpr std::array<VerdictLook, 9> verdict_looks = {{
    {"identical", "=", "the same bits"},
    {"rounding", "≈", "another order of the same arithmetic: the gap collapses in float64"},
    {"drift", "~", "rounding that comes from another environment than the golden's"},
    {"imprecise", "≉",
     "the same mathematics, but an arm loses more than rounding: a narrower type, a cancelling sum"},
    {"different", "≠", "another computation"},
    {"vacuous", "∅", "nothing was put to the test"},
    {"missing", "?", "a side, quantity or golden is not there"},
    {"crashed", "×", "an arm did not finish"},
    {"skipped", "–", "this machine lacks what the case runs on: nothing was judged"},
}};

/// Returns null if the name is not a verdict.
inline const VerdictLook* find_verdict(std::string_view name) {
  for (const VerdictLook& look : verdict_looks)
    if (look.name == name)
      return &look;
  return nullptr;
}

static_assert(std::ranges::equal(verdict_looks, results::verdict_names, {}, &VerdictLook::name));

}  // namespace parity::reports
