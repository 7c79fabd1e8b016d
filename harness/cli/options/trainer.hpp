// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "harness/suite/cases/config_schema.hpp"

namespace parity::cli {

/// Returns the path of the trainer: `given`, or else $PARITY_TRAINER, or else the one next to this program.
std::filesystem::path find_trainer(const std::string& given);
/// Adds --trainer, shared by the subcommands that use the trainer or its schema.
void add_trainer_option(CLI::App& app, std::string& trainer);
/// Returns the schema of the trainer, from the file next to it. \throws UserError if there is none (exit 3)
suite::ConfigSchema trainer_schema(const std::string& given);

}  // namespace parity::cli
