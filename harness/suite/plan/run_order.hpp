// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/suite/plan/plan.hpp"

namespace parity::suite {

/// Returns the indices of cases in the order in which their runs start.
///
/// The cheapest case of each topic comes first, so that verdicts appear within seconds. The others follow
/// from the most expensive to the cheapest, so that no core ends alone with a long run.
/// \param names  of the cases: "lr/warmup_index" has topic lr
/// \param costs  of each case's runs, in any unit
std::vector<size_t> case_order(const std::vector<std::string>& names, const std::vector<double>& costs);

/// Returns the ids of a plan's runs, each once, in the order of their cases (case_order).
std::vector<std::string> run_order(const Plan& plan);

}  // namespace parity::suite
