// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <hdf5.h>

#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// Reads a trace file, first in a child process that may crash (probe.hpp).
/// \throws UserError if it is missing, truncated, not a trace, of another major schema, or hostile
std::unique_ptr<TraceContent> read_trace_file(const std::filesystem::path& path);

/// Reads many files in one child process beforehand, so that read_trace_file() needs none for each.
void probe_trace_files(const std::vector<std::filesystem::path>& paths);

/// Reads what this program's own writer has flushed to a file that it has open, without the tensors' values.
TraceContent read_open_trace(hid_t file, const std::filesystem::path& path);

}  // namespace parity::trace
