// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/explain/recipe.hpp"

namespace parity::explain {

/// One point in which two runs are not the same.
struct Row {
  std::string what;           ///< "weight_decay of layers.*.norm.weight (2 parameters)"
  std::string first, second;  ///< the value of each run
  std::string why;            ///< a known mistake that gives this difference; "" for none
  /// Config keys that may set it, or beginnings of keys that end in '.'. In an Explanation: those that
  /// differ, with both values.
  std::vector<std::string> keys = {};
};

/// What a topic finds in two runs.
struct Finding {
  std::vector<Row> rows;
  std::vector<std::string> same;     ///< what was compared and is the same
  std::vector<std::string> unknown;  ///< what could not be compared, and what to record

  /// Adds a row, or that the value is the same. A value that a run does not say is unknown.
  /// \param record  what to record so that it is known
  void compare(const std::string& what, const std::string& first, const std::string& second,
               const std::string& record, std::vector<std::string> keys = {});
};

/// What a difference in a topic means.
enum class Role {
  recipe,       ///< the runs compute something else
  layout,       ///< the same: they compute it elsewhere. Agreement here alone says nothing about the recipe
  environment,  ///< the same recipe may run in another environment
};

/// One part of a recipe.
struct Topic {
  std::string_view name;
  Finding (*compare)(const Recipe& first, const Recipe& second);
  Role role = Role::recipe;
};

Finding compare_weights(const Recipe& first, const Recipe& second);
Finding compare_batches(const Recipe& first, const Recipe& second);
Finding compare_optimizers(const Recipe& first, const Recipe& second);
Finding compare_schedules(const Recipe& first, const Recipe& second);
Finding compare_clipping(const Recipe& first, const Recipe& second);
Finding compare_operators(const Recipe& first, const Recipe& second);
Finding compare_layouts(const Recipe& first, const Recipe& second);
Finding compare_configs(const Recipe& first, const Recipe& second);
Finding compare_environments(const Recipe& first, const Recipe& second);

}  // namespace parity::explain
