// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/checkpoints/comparison.hpp"
#include "harness/cli/compare/outputs.hpp"

namespace parity::cli {

/// Two or more checkpoints, and how to compare them. The first is the reference.
struct CheckpointOptions {
  std::vector<std::string> sides;
  checkpoints::ComparisonOptions comparison;
  bool json = false;
  bool all = false;  ///< show identical modules and every rule too
  ComparisonOutputs outputs;
};

/// Compares each checkpoint with the first. Prints the modules, the rules that were found and the tensors
/// that differ.
/// \throws UserError if a side is not a checkpoint
ExitCode compare_checkpoints(const CheckpointOptions& options);

}  // namespace parity::cli
