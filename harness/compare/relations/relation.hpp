// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// Judges a check whose arms have traces. \throws MissingEvidence if a quantity, step or twin is missing
using RelationFunction = CheckResult (*)(const Check& check, const std::vector<Side>& sides);

// Each function is in a file of its own.
CheckResult judge_identical(const Check& check, const std::vector<Side>& sides);
CheckResult judge_equivalent(const Check& check, const std::vector<Side>& sides);
CheckResult judge_lagged(const Check& check, const std::vector<Side>& sides);
CheckResult judge_unchanged(const Check& check, const std::vector<Side>& sides);
CheckResult judge_distinct(const Check& check, const std::vector<Side>& sides);
CheckResult judge_trained(const Check& check, const std::vector<Side>& sides);
CheckResult judge_bounded(const Check& check, const std::vector<Side>& sides);
/// Judges the gap of a pair against that of its sibling.
/// \param sides  the sides of the pair, then those of its sibling
CheckResult judge_no_farther(const Check& check, const std::vector<Side>& sides);
/// Asks the laws of training about one run. `measured` of the result has laws_holding, laws_departing and
/// laws_not_asked.
CheckResult judge_lawful(const Check& check, const std::vector<Side>& sides);

/// Throws MissingEvidence: `accurate` and `invariant` are about the operators of an operator case, whose
/// checks harness/operators judges.
CheckResult judge_outside_of_an_operator_case(const Check& check, const std::vector<Side>& sides);
/// Compares the repetitions of a run with it, bit for bit: every channel but timings, every recorded tensor,
/// and the records of each rank. `measured` of the result has runs, runs_differing, channels, tensors and
/// ranks.
/// \param sides  the run, then its repetitions
CheckResult judge_repeats(const Check& check, const std::vector<Side>& sides);

/// Compares the residues of two exact twins: every gradient, moment and parameter. `measured` of the result
/// has tensors and tensors_differing.
/// \param sides  the exact twins, not the arms' own runs
CheckResult judge_same_function(const Check& check, const std::vector<Side>& sides);
CheckResult judge_other_function(const Check& check, const std::vector<Side>& sides);

/// What the checks of a relation may be about.
enum class Subject {
  any,        ///< channels or tensors
  channels,   ///< channels only
  run,        ///< the run as a whole: the check names neither
  operators,  ///< the operators of an operator case
};

/// A relation: its number of arms, what it may be about, its claim in words, and the function that judges it.
struct RelationRow {
  Relation relation;
  size_t arms;
  Subject subject;
  std::string_view claim;
  RelationFunction judge;

  bool may_be_of_tensors() const { return subject == Subject::any; }
};

/// Returns a row for each value of Relation, in order.
std::span<const RelationRow> relation_table();
const RelationRow& row_of(Relation relation);

}  // namespace parity::compare
