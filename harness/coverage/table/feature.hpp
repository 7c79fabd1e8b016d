// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::coverage {

/// What a feature does to a run.
///
/// | role        | an arm with it and an arm without it                                             |
/// | execution   | compute the same mathematics: layouts, micro-batches, a restart                  |
/// | mathematics | compute something else: another model, other data, another optimizer             |
/// | precision   | compute the same mathematics with narrower types                                 |
/// | acting      | differ only if it acted, which the config cannot tell: clipping, ignored labels  |
enum class Role { execution, mathematics, precision, acting };
constexpr auto enum_names(Role) {
  return named<Role::acting>("role of a feature", {"execution", "mathematics", "precision", "acting"});
}

/// A part of the trainer that a config switches on.
struct Feature {
  std::string_view name;
  std::string_view sentence;  ///< its meaning, for people
  Role role = Role::execution;
  /// Returns whether a complete config has the feature. For an acting feature: whether it may act.
  bool (*is_in)(const suite::FlatConfig& config);
  /// Ways to give the feature to small_run(), each as settings that override it. Empty: none is known.
  std::vector<suite::FlatConfig> recipes;
};

}  // namespace parity::coverage
