// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/compare/series.hpp"
#include "harness/compare/series_difference.hpp"

namespace parity {

/// What makes one curve another: the signatures of the commonest mistakes in a trainer, found from the values
/// alone. Source: METRICS.md M8 (a constant ratio is a factor of ranks or micro-batches left in or out; a lag
/// is a schedule whose index starts elsewhere).

/// The lag != 0 with actual[s + lag] = expected[s], bit for bit, over every pair of steps both have; the
/// smallest in size, 8 at most. Needs 3 pairs and, among them, 2 different values: a flat curve fits any lag.
std::optional<int64_t> find_lag(const Series& expected, const Series& actual);

/// A factor between two curves.
struct CurveRatio {
  double value = 1;      ///< actual / expected
  int64_t whole = 0;     ///< k where the ratio is k or 1/k; 0 if neither
  bool inverse = false;  ///< it is 1/k
  size_t pairs = 0;      ///< over how many steps, from the first on
  bool every_step = false;
};

/// The ratio of actual to expected where it is constant and not 1.
///
/// Over every pair: ratios within 1e-4 of each other count as whole when k (2..1024) is within 1e-4 of it, as
/// another constant only within 1e-6. The bound 1e-4 is what a float32 norm of large tensors loses
/// (NUMERICS.md, section 10.8: 5e-5). If the curves go apart later, a whole ratio at the first pair alone is
/// reported with every_step = false, for k up to 64 (where 1e-4 leaves a chance hit of 1 %). Pairs of zeros
/// say nothing and are passed over.
std::optional<CurveRatio> find_ratio(const Series& expected, const Series& actual);

/// One clause for the likely cause, or "": "grad_norm of b is 4 times a's at every step (4.000)".
/// \param channel  its name; `batch_digest` and `valid_tokens` have causes of their own
std::string pattern_text(const std::string& channel, const std::string& expected_name,
                         const std::string& actual_name, const Series& expected, const Series& actual,
                         const SeriesDifference& difference);

}  // namespace parity
