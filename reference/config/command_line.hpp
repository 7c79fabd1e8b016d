// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/config/weight_names.hpp"

namespace parity::reference {

/// The parsed command line of one process of `parity-train`.
struct Invocation {
  enum class Action { train, estimate, check, print_schema, print_help, print_version };

  Action action = Action::train;
  RunConfig config;                                     ///< validated
  std::filesystem::path trace;                          ///< empty = no trace
  std::filesystem::path capture;                        ///< empty = channels only
  std::filesystem::path checkpoint_dir;                 ///< empty = none
  std::filesystem::path heartbeat;                      ///< empty = none
  std::filesystem::path configs;                        ///< JSON list of configs to check
  std::filesystem::path save_weights;                   ///< a safetensors file, after training; empty = none
  WeightNames weights_names = WeightNames::torchtitan;  ///< of that file
  int64_t stop_after = 0;                               ///< 0 = train to the end
  int64_t checkpoint_every = 0;                         ///< updates; 0 = only where the run stops
  std::filesystem::path start_from;  ///< folder of a checkpoint; empty = from the beginning
  bool resume = false;
  uint64_t exact_key = 0;  ///< of its residues
  ExactConstants exact_constants = ExactConstants::binary;
  bool collect_trace = false;  ///< rank 0 gets the files of the others at the end
  bool quiet = false;
};

/// Reads an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char*)>;

/// Combines config file, settings and environment: PARITY_CONFIG, PARITY_TRACE, PARITY_CAPTURE, PARITY_DTYPE,
/// PARITY_CHECKPOINT_DIR, PARITY_HEARTBEAT. Arguments override the environment; --set overrides the file.
/// \throws UserError for unknown options, impossible combinations and bad configs
Invocation parse_command_line(const std::vector<std::string>& arguments, const Environment& environment);

/// Returns the text of --help.
std::string_view help_text();

}  // namespace parity::reference
