// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

namespace parity {

/// Reads a stranger's HDF5 file in a child process first, once for each state of the file: HDF5 1.10 crashes
/// on some damaged files, or never returns from them, and then only the child ends. Errors of `read` are the
/// caller's to meet again.
///
/// \param read  everything that the caller will ask HDF5 about the file
/// \throws UserError "cannot read PATH (HDF5 crashes on it: killed by signal 11 (SEGV)) ..."
void probe(const std::filesystem::path& path, const std::function<void()>& read);

}  // namespace parity
