// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// Returns workflow commands that make GitHub show each failure at its line of the case file: "::error
/// file=cases/lr/warmup_index.toml,line=21,title=...::sentence". One line each; empty if all checks hold.
/// GitHub shows 10 per step, so the last one counts the rest.
///
/// \param workspace  the checkout; files inside are named relative to it, as GitHub requires
std::string annotations(const Results& results, const std::string& workspace);

}  // namespace parity::reports
