// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/model/curve.hpp"

namespace parity::reports {

/// The curves of a case in the order they are shown: loss, reward_mean, lr, grad_norm, then as in the file.
std::vector<Curve> shown_curves(const Case& item);

/// A check that agrees with the golden bit for bit. There are hundreds in a suite: the page lists them when
/// asked, and writes out only what changed.
bool is_quiet(const Check& check);

bool is_of_golden(const Check& check);

/// Written, not compared: one check speaks for the whole file.
bool is_record(const Check& check);

/// Whether the lists above the cases may tell of a check: it failed, or says of a golden something else than
/// that it agrees.
bool is_told(const Check& check);

}  // namespace parity::reports
