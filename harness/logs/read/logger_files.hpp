// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/logs/channel_names.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// Returns whether an argument names what a logger keeps for one run: a file of TensorBoard's events, a
/// .wandb file of W&B, a Parquet file, or a folder that has such files. A folder with such runs below it
/// counts too, since read_by_logger refuses it and names them. A folder with a trace is the folder of a run.
bool is_of_logger(const std::string& path);

/// Reads the files of a logger in a child process, which uses the logger's own package. The child writes JSON
/// lines into a temporary file, which is gone when this function returns.
/// \throws UserError with the child's sentence for a damaged file; also (exit 3) if the package is missing
Log read_by_logger(const std::string& path, const NameMap& map);

}  // namespace parity::logs
