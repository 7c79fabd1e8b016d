// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/suite/cases/flat_config.hpp"

namespace parity::coverage {

/// What a trainer's validation says about a config.
struct Answer {
  std::string problem;      ///< the sentence with which it refuses the config; "" if it accepts it
  int64_t ranks = 1;        ///< ranks that the config asks for
  suite::FlatConfig model;  ///< dimensions that the model's name implies, by config key
};

/// Returns an answer for each config. Missing keys have the trainer's defaults.
using Validator = std::function<std::vector<Answer>(const std::vector<suite::FlatConfig>& configs)>;

/// Returns a validator that asks `parity-train --check`, once for all configs of a call.
/// \param folder  for the files of the conversation, which are removed
Validator trainer_validator(const std::filesystem::path& trainer, const std::filesystem::path& folder);

/// Returns a config with the dimensions that its model's name implies.
suite::FlatConfig with_model(suite::FlatConfig config, const Answer& answer);

}  // namespace parity::coverage
