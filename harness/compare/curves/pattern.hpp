// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/compare/curves/series.hpp"
#include "harness/compare/curves/series_difference.hpp"

namespace parity::compare {

/// Signatures of the most common trainer mistakes, found from the values of two curves. Source: METRICS.md M8
/// (a constant ratio is a missing or extra factor of ranks or micro-batches; a lag is a schedule whose index
/// starts elsewhere).

/// Returns the smallest lag != 0, at most 8 in magnitude, with actual[s + lag] = expected[s], bit for bit,
/// over every pair of steps that both have. Needs 3 pairs with at least 2 different values, because a flat
/// curve fits any lag.
std::optional<int64_t> find_lag(const Series& expected, const Series& actual);

/// A factor between two curves.
struct CurveRatio {
  double value = 1;      ///< actual / expected
  int64_t whole = 0;     ///< k if the ratio is k or 1/k; 0 if neither
  bool inverse = false;  ///< the ratio is 1/k
  size_t pairs = 0;      ///< number of steps, from the first
  bool every_step = false;
};

/// Returns the ratio of actual to expected if it is constant and not 1.
///
/// Ratios of all pairs that agree within 1e-4 count as whole if k (2..1024) is within 1e-4 of them. Another
/// constant needs 1e-6. The bound 1e-4 covers the error of a float32 norm of large tensors (NUMERICS.md,
/// section 10.8: 5e-5). If the curves diverge later, a whole ratio at the first pair alone is reported with
/// every_step = false. It is limited to k up to 64, where 1e-4 leaves a chance hit of 1 %. Pairs of zeros are
/// ignored.
std::optional<CurveRatio> find_ratio(const Series& expected, const Series& actual);

/// Returns a clause for the likely cause: "grad_norm of b is 4 times a's at every step (4.000)". "" if none
/// is known.
/// \param channel  name of the channel; `batch_digest` and `valid_tokens` have causes of their own
std::string pattern_text(const std::string& channel, const std::string& expected_name,
                         const std::string& actual_name, const Series& expected, const Series& actual,
                         const SeriesDifference& difference);

}  // namespace parity::compare
