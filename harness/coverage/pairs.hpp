// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/coverage/features.hpp"
#include "harness/coverage/table/acting.hpp"
#include "harness/coverage/validation.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::coverage {

/// An arm with the features that it has.
struct ArmFeatures {
  std::string name;        ///< "CASE:ARM"
  std::vector<Held> held;  ///< by index in features()

  /// Returns whether the arm has both features: `no` if it lacks one, `yes` if it has both.
  Held both(size_t one, size_t other) const;
};

/// What is known of two features together.
///
/// | state     | meaning                                                                             |
/// | covered   | an arm has both                                                                     |
/// | not_run   | an arm's config allows both, and no trace says whether both acted                   |
/// | missing   | no arm has both, and the trainer accepts a config with both                         |
/// | refused   | the trainer's validation refuses every config with both that the recipes give       |
/// | exclusive | each gives one key another value, so no config has both                             |
enum class PairState { covered, not_run, missing, refused, exclusive };
constexpr auto enum_names(PairState) {
  return named<PairState::exclusive>("state of a pair",
                                     {"covered", "not_run", "missing", "refused", "exclusive"});
}

struct Pair {
  size_t one = 0, other = 0;  ///< indices in features(), one < other
  PairState state = PairState::missing;
  std::vector<std::string> arms = {};  ///< that have both, or may have (not_run)
  std::string why = {};                ///< refused: the trainer's sentence
  suite::FlatConfig example = {};      ///< settings that have both (missing), or that are refused
};

/// Returns which features a complete config has. \param trace  of its run; null: it was not run
std::vector<Held> held_features(const suite::FlatConfig& config, const trace::Trace* trace);

/// Returns the state of every pair of features. Asks the trainer about the pairs that no arm has.
std::vector<Pair> classify_pairs(const std::vector<ArmFeatures>& arms, const Validator& validate);

/// Returns the settings that have both features, one list for each pair of recipes that can be joined.
std::vector<suite::FlatConfig> settings_with(size_t one, size_t other);

}  // namespace parity::coverage
