// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/json/json.hpp"
#include "harness/compare/tensors/gap.hpp"

namespace parity::compare {

/// Returns a tensor's profile as lines: averages and quantiles in ULPs, the histogram, and where along the
/// flat tensor and each dimension most of the error is. "" if the gap has no profile.
std::string profile_text(const TensorGap& gap);

/// Returns a profile as JSON:
///
///     {"ulps": [{"from": 0, "elements": 12}, ...], "quantiles": {"0.5": 1, ...}, "blocks": [...],
///      "dimensions": [[{"first": 0, "last": 4, "differing", "relative_l2", "max_ulp"}, ...], ...]}
Json profile_json(const measure::DifferenceProfile& profile);

}  // namespace parity::compare
