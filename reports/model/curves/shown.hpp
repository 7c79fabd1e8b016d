// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/model/curves/curve.hpp"

namespace parity::reports {

/// Returns the curves of a case in the order of display: loss, reward_mean, lr, grad_norm, then as in the
/// file.
std::vector<Curve> shown_curves(const Case& item);

/// Returns whether a check agrees with the golden bit for bit. A suite has hundreds of them. The page lists
/// them on request and shows only changes in full.
bool is_quiet(const Check& check);

bool is_of_golden(const Check& check);

/// Returns whether a check is about a recording instead of a comparison: one check covers the whole file.
bool is_record(const Check& check);

/// Returns whether the lists above the cases may include a check: it failed, or its result about a golden is
/// not agreement.
bool is_listed(const Check& check);

}  // namespace parity::reports
