// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/compare/bits.hpp"
#include "harness/compare/check.hpp"
#include "harness/compare/judge.hpp"
#include "harness/golden/content.hpp"

namespace parity {

/// Goldens seen from another environment: another CPU or library takes other kernels, so that bits differ by
/// rounding although nothing changed.

/// "cpu_vendor is AuthenticAMD in the golden and GenuineIntel here", for each key that differs (3, then a
/// count); "" if none does. Also for configs.
std::string json_difference_text(const Json& before, const Json& after,
                                 const std::string& before_where = "in the golden",
                                 const std::string& after_where = "here");

/// Turns a channel's mismatch in another environment into `drift` if the gap collapses between the float64
/// twins (golden's against run's) and is as small as rounding makes it, both by the rules of `equivalent`.
/// A gap that collapses and is larger becomes `imprecise`, and one whose twins are not near their runs
/// `vacuous`; both fail. Otherwise adds to the sentence why it does not collapse. int64 channels have no
/// rounding and stay `different`.
/// \param twin       the twins' values of the channel; nothing where the golden or the run has none
/// \param allowance  what the arm's arithmetic may cost
void judge_drift(CheckResult& result, const SeriesPair& pair, const std::optional<SeriesPair>& twin,
                 const std::string& environment, const PrecisionAllowance& allowance = {});

/// The largest relative gap between digests of a drifting arm that still is rounding: 2^10 times the roundoff
/// of float32. Goldens keep no twins of tensors; so they drift only where the arm's channels were seen to
/// collapse, and within the bound that the same M = 2^10 sets in float64 (CollapseRule).
inline constexpr double largest_tensor_drift = 0x1p-14;

}  // namespace parity
