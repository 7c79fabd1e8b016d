// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/results/case.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judged_check.hpp"
#include "harness/suite/plan/planned_case.hpp"

namespace parity::suite {

/// In which order an arm of an operator case adds, as `parity reveal` found it.
struct RevealedOrder {
  std::string run;       ///< id of the arm's run. Another run may add in another order
  std::string sentence;  ///< "fused adds left to right in float32"; "" if the order cannot be revealed
  std::string point;     ///< where: "k = 33, m = 1, bfloat16"
  size_t predicted = 0;  ///< random results that the order predicts, bit for bit
  size_t tried = 0;      ///< random results
};

/// By arm.
using RevealedOrders = std::map<std::string, RevealedOrder>;

/// Returns the path of the orders of a case's arms, in the results folder.
std::filesystem::path orders_file(const Case& source, const std::filesystem::path& out);

/// Stores orders. The file keeps those of other arms.
void keep_orders(const Case& source, const std::filesystem::path& out, const RevealedOrders& orders);

/// Returns the stored orders; none if the file is missing or damaged.
RevealedOrders stored_orders(const Case& source, const std::filesystem::path& out);

/// Explains each rounding of an operator case by the orders in which its arms add.
///
/// Orders count only if they were found for the very runs that were judged. Where they are missing, the check
/// gets the command that finds them, if the operator seems to sum.
/// \param item  the results of the judged checks
void add_orders(results::Case& item, const std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                const Evidence& evidence, const std::filesystem::path& out);

}  // namespace parity::suite
