// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/case.hpp"

namespace parity::reports {

/// The curves of a case in the order they are shown: loss, reward_mean, lr, grad_norm, then as in the file.
std::vector<const Curve*> shown_curves(const Case& item);

/// A check that agrees with the golden bit for bit. There are hundreds in a suite: the page lists them when
/// asked, and writes out only what changed.
bool is_quiet(const Check& check);

}  // namespace parity::reports
