// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/support/relation_world.hpp"

namespace parity::attack {

/// What a mutation does to the evidence of a claim.
enum class Harm {
  incomplete,  ///< something that the claim names is gone
  not_finite,  ///< a number that the claim names is NaN or infinite
  changed,     ///< a number, type or shape is different
  moved,       ///< the same numbers at other places: steps or arms exchanged
  twins,       ///< float64 twins are gone, or compute something else
  question,    ///< the check asks for something that is missing
};

/// One way to damage the evidence that a claim rests on.
struct WorldMutation {
  std::string name;  ///< "NaN at step 5 of b"
  Harm harm;
  /// Damages the world. \return false if it has nothing of the kind, so that nothing was changed
  std::function<bool(RelationWorld&)> apply;
};

/// Returns every mutation, of every side that a claim can have: arms a and b, both, the sibling's arms c and
/// d, and twins.
const std::vector<WorldMutation>& world_mutations();

}  // namespace parity::attack
