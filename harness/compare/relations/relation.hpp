// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/side.hpp"

namespace parity {

/// Judges a check whose arms are there. \throws MissingEvidence where a quantity, step or twin is not
using RelationFunction = CheckResult (*)(const Check& check, const std::vector<Side>& sides);

// One file each.
CheckResult judge_identical(const Check& check, const std::vector<Side>& sides);
CheckResult judge_equivalent(const Check& check, const std::vector<Side>& sides);
CheckResult judge_lagged(const Check& check, const std::vector<Side>& sides);
CheckResult judge_unchanged(const Check& check, const std::vector<Side>& sides);
CheckResult judge_distinct(const Check& check, const std::vector<Side>& sides);
CheckResult judge_trained(const Check& check, const std::vector<Side>& sides);
CheckResult judge_bounded(const Check& check, const std::vector<Side>& sides);
/// \param sides  the pair, then its sibling
CheckResult judge_no_farther(const Check& check, const std::vector<Side>& sides);

/// One relation: how many arms it is about, what it claims, and the function that judges it.
struct RelationRow {
  Relation relation;
  size_t arms;
  std::string_view claim;
  RelationFunction judge;
};

/// A row for each value of Relation, in order.
std::span<const RelationRow> relation_table();
const RelationRow& row_of(Relation relation);

}  // namespace parity
