// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/judge.hpp"
#include "harness/compare/relations/bits.hpp"
#include "harness/golden/content.hpp"

namespace parity::golden {

/// Comparison with goldens from another environment. Another CPU or library uses other kernels, so bits
/// differ by rounding although nothing changed.

/// Returns "cpu_vendor is AuthenticAMD in the golden and GenuineIntel here", for each key that differs (3,
/// then a count); "" if none does. Also used for configs.
std::string json_difference_text(const Json& before, const Json& after,
                                 const std::string& before_where = "in the golden",
                                 const std::string& after_where = "here");

/// Returns how the config of two recordings of an arm differs, as json_difference_text() does. Given keys
/// count if `before` stores them.
std::string config_difference_text(const GoldenArm& before, const GoldenArm& after,
                                   const std::string& before_where = "in the golden",
                                   const std::string& after_where = "here");

/// Turns a channel's mismatch in another environment into `drift` under two conditions. The gap collapses
/// between the float64 twins (golden's against run's), and it is as small as rounding; both by the rules of
/// `equivalent`. A larger gap that collapses becomes `imprecise`. One whose twins are not near their runs
/// becomes `vacuous`. Both fail. If the gap does not collapse, the sentence states why. int64 channels have
/// no rounding and stay `different`.
/// \param twin       the twins' values of the channel; nothing if the golden or the run has none
/// \param allowance  rounding that the arm's arithmetic may cost
void judge_drift(compare::CheckResult& result, const compare::SeriesPair& pair,
                 const std::optional<compare::SeriesPair>& twin, const std::string& environment,
                 const compare::PrecisionAllowance& allowance = {});

/// Returns the largest relative gap between digests of a drifting arm that still is rounding. Goldens keep no
/// twins of tensors. So tensors may drift only if the arm's channels were found to collapse, and within a
/// bound:
///
/// | arithmetic | bound | largest gap measured between MKL's and ATen's kernels of SSE, AVX2 and AVX-512 | |
/// float32    | 2^-14 | 4.5e-6 in 10 updates; the bound is 2^10 roundoffs, M of CollapseRule                |
/// | 16 bits    | 2^-3  | 1.2e-2 in 10 updates (mixed precision, bfloat16); a factor of 11, 14 in float32 |
/// \param sixteen_bits  whether the arm computes in 16 bits
constexpr double largest_tensor_drift(bool sixteen_bits) {
  return sixteen_bits ? 0x1p-3 : 0x1p-14;
}

}  // namespace parity::golden
