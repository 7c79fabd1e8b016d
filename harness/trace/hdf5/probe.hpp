// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace parity::trace {

/// Reads an untrusted HDF5 file in a child process first, once for each state of the file. HDF5 1.10 crashes
/// on some damaged files, or never returns; then only the child ends. Errors that `read` reports are ignored
/// here: the caller meets them again.
///
/// \param read  everything that the caller will ask HDF5 about the file
/// \throws UserError "cannot read PATH (HDF5 crashes on it: killed by signal 11 (SEGV)) ..."
void probe(const std::filesystem::path& path, const std::function<void()>& read);

/// Reads many files in one child process, as probe() reads one, and counts those that it has read. The child
/// of a large program takes long to start. A file on which HDF5 crashes ends the child: that file and those
/// after it are left to probe().
void probe_ahead(const std::vector<std::filesystem::path>& paths,
                 const std::function<void(const std::filesystem::path&)>& read);

/// Returns what distinguishes states of a file: device, inode, size, time of writing and time of change
/// (ctime, which cannot be set back). Returns "" if there is no file.
std::string file_state(const std::filesystem::path& path);

/// Marks a file state as read to its end before, by an earlier process of this program.
void count_as_read(const std::string& state);

}  // namespace parity::trace
