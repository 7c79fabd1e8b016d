// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/logs/log.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::logs {

/// Returns the channels of a trace as a log.
Log log_of(const trace::Trace& trace, const std::string& file);

/// Writes a log as a complete trace. A log that counts from 0 is moved by one step, since a trace counts from
/// 1. A channel without a value at some step gets NaN there.
/// \return sentences on what was changed
/// \throws UserError if the file cannot be written
std::vector<std::string> write_trace(const Log& log, const std::filesystem::path& path);

}  // namespace parity::logs
