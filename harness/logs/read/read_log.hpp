// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/logs/channel_names.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// How a log is read.
struct ReadOptions {
  std::string kind;     ///< jsonl, csv, trainer_state or text; "" recognises it by content
  std::string pattern;  ///< for text logs; "" uses the known kinds
  NameMap map;
};

/// Returns whether an argument names a log: "-", an existing file that is no HDF5 file, or a folder of a
/// logger.
bool is_log(const std::string& path);

/// Reads a log and recognises its format by content; "-" is the standard input.
/// \throws UserError naming file, line and what was expected, if it cannot be read
Log read_log(const std::string& path, const ReadOptions& options);

}  // namespace parity::logs
