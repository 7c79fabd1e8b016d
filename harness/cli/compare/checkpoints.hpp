// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/exit_code.hpp"
#include "harness/checkpoints/comparison.hpp"

namespace parity::cli {

/// Two checkpoints, and how to compare them.
struct CheckpointOptions {
  std::string expected, actual;
  checkpoints::ComparisonOptions comparison;
  bool json = false;
  bool all = false;  ///< show identical modules and every rule too
};

/// Compares two checkpoints and prints the modules, the rules that were found and the tensors that differ.
/// \throws UserError if one side is not a checkpoint
ExitCode compare_checkpoints(const CheckpointOptions& options);

}  // namespace parity::cli
