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
  changed,     ///< a number, type or shape is another one
  moved,       ///< the same numbers at other places: steps or arms exchanged
  twins,       ///< float64 twins are gone, or compute something else
  question,    ///< the check asks for what is not there
};

/// One way to spoil the evidence that a claim rests on.
struct WorldMutation {
  std::string name;  ///< "NaN at step 5 of b"
  Harm harm;
  /// Spoils the world. \return false where there is nothing of the kind to spoil, so that nothing was changed
  std::function<bool(RelationWorld&)> apply;
};

/// Every mutation, of every side that a claim can have: arms a and b, both, the sibling's arms c and d, and
/// twins.
const std::vector<WorldMutation>& world_mutations();

}  // namespace parity::attack
