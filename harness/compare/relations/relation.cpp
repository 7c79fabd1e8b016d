// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/relation.hpp"

#include <array>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::compare {
namespace {

constexpr auto table = std::to_array<RelationRow>({
    {Relation::identical, 2, Subject::any, "the same bits at every step of the window", judge_identical},
    {Relation::equivalent, 2, Subject::any,
     "the same mathematics: the gap collapses when both arms run in float64", judge_equivalent},
    {Relation::lagged, 2, Subject::any, "the second arm at step s + lag is the first at step s, bit for bit",
     judge_lagged},
    {Relation::unchanged, 1, Subject::any, "the same bits as one step earlier", judge_unchanged},
    {Relation::distinct, 2, Subject::any,
     "another computation: far beyond rounding, and the gap stays in float64", judge_distinct},
    {Relation::trained, 1, Subject::channels,
     "the loss fell by more than its noise, and the parameters moved", judge_trained},
    {Relation::bounded, 2, Subject::any,
     "no farther apart than 8 floors of measured rounding noise, or than a tolerance near it", judge_bounded},
    {Relation::no_farther, 2, Subject::any, "a gap of at most so many times that of a sibling pair of arms",
     judge_no_farther},
    {Relation::lawful, 1, Subject::run, "every law of training that the trace allows to ask holds",
     judge_lawful},
    {Relation::accurate, 1, Subject::operators,
     "as near the exact result as the plain implementation, or within so many ULP of it",
     judge_outside_of_an_operator_case},
    {Relation::invariant, 1, Subject::operators,
     "the bits of a row do not depend on batch size, neighbours, threads and what else the check names",
     judge_outside_of_an_operator_case},
    {Relation::repeats, 1, Subject::run, "the run has the same bits each time it is repeated", judge_repeats},
    {Relation::same_function, 2, Subject::run,
     "the same function, proved with integers: exact twins have equal residues", judge_same_function},
    {Relation::other_function, 2, Subject::run,
     "another function, however near: exact twins have different residues", judge_other_function},
});

}  // namespace

CheckResult judge_outside_of_an_operator_case(const Check& check, const std::vector<Side>&) {
  throw MissingEvidence(fmt::format("relation {} is about operators; write the case with an [operator] table",
                                    name_of(check.relation)));
}

std::span<const RelationRow> relation_table() {
  return table;
}

const RelationRow& row_of(Relation relation) {
  for (const RelationRow& row : table)
    if (row.relation == relation)
      return row;
  throw InternalError("relation without a row in the table");
}

}  // namespace parity::compare
