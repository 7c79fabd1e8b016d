// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/coverage/table/feature.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::coverage {

/// Returns the table of features. Order of rows is the order of the matrix.
const std::vector<Feature>& features();

/// Returns the index of a feature in the table. \throws UserError with the nearest name
size_t find_feature(std::string_view name);

/// Returns the settings of the small run that recipes change: a Llama of two blocks that trains in a fraction
/// of a second.
const suite::FlatConfig& small_run();

/// Returns both settings; nothing if they give a key two values. Of two learning rates, the first counts.
std::optional<suite::FlatConfig> join(const suite::FlatConfig& one, const suite::FlatConfig& other);

/// Returns small_run() with these settings.
suite::FlatConfig with_settings(const suite::FlatConfig& settings);

}  // namespace parity::coverage
