// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace parity::reports {

/// Workflow commands that make GitHub show each failure at its line of the case file:
/// "::error file=cases/lr/warmup_index.toml,line=21,title=...::sentence". A line each; empty if all holds.
/// GitHub shows 10 a step: beyond them the last one counts the rest.
///
/// \param workspace  the checkout; files inside are named relative to it, as GitHub wants them
std::string annotations(const Results& results, const std::string& workspace);

}  // namespace parity::reports
