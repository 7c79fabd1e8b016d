// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/attack/harmless.hpp"

#include <array>

#include "harness/base/text/glob.hpp"

namespace parity::attack {
namespace {

constexpr std::string_view symmetric = "the claim says the same of both arms";
constexpr std::string_view both_alike = "both arms changed alike, so they still agree";
constexpr std::string_view wider = "the same numbers in a wider type: the claim is about their values";
constexpr std::string_view still_falls = "the curve still falls";
constexpr std::string_view moved_out = "the lag moves this step of this arm out of the run";
constexpr std::string_view less_than_sibling = "the gap is still less than what the sibling's allows";
constexpr std::string_view wider_sibling = "a sibling that is farther apart allows a larger gap";

constexpr std::string_view still_other = "their residues still differ";
constexpr std::string_view norms_moved = "each norm moved with its gradient, so it is still its norm";

constexpr std::array rows = {
    Harmless{compare::Relation::identical, "arms exchanged", symmetric},
    Harmless{compare::Relation::identical, "twice the number at step * of both", both_alike},
    Harmless{compare::Relation::identical, "numbers 5 % larger of both", both_alike},
    Harmless{compare::Relation::identical, "another type of both", both_alike},
    Harmless{compare::Relation::identical, "another shape of both", both_alike},
    Harmless{compare::Relation::identical, "steps 2 and 7 exchanged of both", both_alike},
    Harmless{compare::Relation::equivalent, "arms exchanged", symmetric},
    Harmless{compare::Relation::equivalent, "another type of *", wider},
    Harmless{compare::Relation::distinct, "arms exchanged", symmetric},
    Harmless{compare::Relation::distinct, "another type of *", wider},
    Harmless{compare::Relation::bounded, "arms exchanged", symmetric},
    Harmless{compare::Relation::bounded, "twice the number at step * of both", both_alike},
    Harmless{compare::Relation::bounded, "numbers 5 % larger of both", both_alike},
    Harmless{compare::Relation::bounded, "another type of both", both_alike},
    Harmless{compare::Relation::bounded, "another shape of both", both_alike},
    Harmless{compare::Relation::bounded, "steps 2 and 7 exchanged of both", both_alike},
    Harmless{compare::Relation::lagged, "numbers 5 % larger of both", both_alike},
    Harmless{compare::Relation::lagged, "another shape of both", both_alike},
    Harmless{compare::Relation::lagged, "another type of both", both_alike},
    Harmless{compare::Relation::lagged, "no last step of a", moved_out},
    Harmless{compare::Relation::lagged, "no tensor at step 10 of a", moved_out},
    Harmless{compare::Relation::lagged, "no tensor at step 1 of b", moved_out},
    Harmless{compare::Relation::lagged, "* at step 10 of a", moved_out},
    Harmless{compare::Relation::lagged, "* at step 1 of b", moved_out},
    Harmless{compare::Relation::unchanged, "numbers 5 % larger of a", "what is constant stays constant"},
    Harmless{compare::Relation::unchanged, "steps 2 and 7 exchanged of a", "all steps hold the same number"},
    Harmless{compare::Relation::unchanged, "another type of a", "the same numbers in each step, of one type"},
    Harmless{compare::Relation::unchanged, "another shape of a",
             "the same numbers in each step, of one shape"},
    Harmless{compare::Relation::trained, "numbers 5 % larger of a", still_falls},
    Harmless{compare::Relation::trained, "twice the number at step * of a", still_falls},
    Harmless{compare::Relation::bounded, "another type of ?", wider},
    Harmless{compare::Relation::lawful, "steps 2 and 7 exchanged of a", norms_moved},
    Harmless{compare::Relation::same_function, "arms exchanged", symmetric},
    Harmless{compare::Relation::same_function, "twice the number at step * of both", both_alike},
    Harmless{compare::Relation::same_function, "numbers 5 % larger of both", both_alike},
    Harmless{compare::Relation::same_function, "another shape of both", both_alike},
    Harmless{compare::Relation::same_function, "steps 2 and 7 exchanged of both", both_alike},
    Harmless{compare::Relation::other_function, "arms exchanged", symmetric},
    Harmless{compare::Relation::other_function, "twice the number at step *", still_other},
    Harmless{compare::Relation::other_function, "numbers 5 % larger of *", still_other},
    Harmless{compare::Relation::other_function, "another shape of *", still_other},
    Harmless{compare::Relation::other_function, "steps 2 and 7 exchanged of *", still_other},
    Harmless{compare::Relation::no_farther, "arms exchanged", symmetric},
    Harmless{compare::Relation::no_farther, "another type of *", wider},
    Harmless{compare::Relation::no_farther, "steps 2 and 7 exchanged of ?", less_than_sibling},
    Harmless{compare::Relation::no_farther, "numbers 5 % larger of both", both_alike},
    Harmless{compare::Relation::no_farther, "twice the number at step * of both", both_alike},
    Harmless{compare::Relation::no_farther, "steps 2 and 7 exchanged of both", both_alike},
    Harmless{compare::Relation::no_farther, "another shape of both", both_alike},
    Harmless{compare::Relation::no_farther, "numbers 5 % larger of c", wider_sibling},
    Harmless{compare::Relation::no_farther, "numbers 5 % larger of d", wider_sibling},
    Harmless{compare::Relation::no_farther, "twice the number at step * of c", wider_sibling},
    Harmless{compare::Relation::no_farther, "twice the number at step * of d", wider_sibling},
    Harmless{compare::Relation::no_farther, "steps 2 and 7 exchanged of c", wider_sibling},
    Harmless{compare::Relation::no_farther, "steps 2 and 7 exchanged of d", wider_sibling},
};

}  // namespace

std::span<const Harmless> harmless_rows() {
  return rows;
}

std::string_view reason_to_hold(compare::Relation relation, const std::string& mutation) {
  for (const Harmless& row : rows)
    if (row.relation == relation && glob_match(std::string(row.mutation), mutation))
      return row.reason;
  return "";
}

}  // namespace parity::attack
