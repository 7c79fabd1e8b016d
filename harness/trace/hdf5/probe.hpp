// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace parity {

/// Reads a stranger's HDF5 file in a child process first, once for each state of the file: HDF5 1.10 crashes
/// on some damaged files, or never returns from them, and then only the child ends. Errors of `read` are the
/// caller's to meet again.
///
/// \param read  everything that the caller will ask HDF5 about the file
/// \throws UserError "cannot read PATH (HDF5 crashes on it: killed by signal 11 (SEGV)) ..."
void probe(const std::filesystem::path& path, const std::function<void()>& read);

/// By what probe tells the states of a file apart: device, inode, size, time of writing and time of change
/// (ctime, which nobody sets back). "" if there is none.
std::string file_state(const std::filesystem::path& path);

/// Takes it that a file in this state was read to its end before, by an earlier process of ours.
void count_as_read(const std::string& state);

}  // namespace parity
