// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/suite/cases/flat_config.hpp"

/// The settings with which an arm still computes what its base does.
namespace parity::coverage {

/// Returns the settings of an arm with one more recipe; nothing if the recipe changes the mathematics of the
/// base or another recipe of the arm, or needs more ranks than a proposal may have.
std::optional<suite::FlatConfig> with_recipe(const suite::FlatConfig& base, const suite::FlatConfig& arm,
                                             const suite::FlatConfig& recipe);

/// Gives an arm the micro-batches with which it cuts an update as its base does, where the loss is a mean of
/// the pieces' means. Each rank's rows and each piece of a pipeline are pieces of their own.
/// \return whether it can
bool cut_alike(const suite::FlatConfig& base, suite::FlatConfig& arm);

/// Returns whether an arm has the model of its base.
bool keeps_model(const suite::FlatConfig& base, const suite::FlatConfig& arm);

}  // namespace parity::coverage
