// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity {

/// Returns the folder `cases` above a file; empty if there is none.
/// \param absolute  path of the file
std::filesystem::path cases_folder_of(const std::filesystem::path& absolute);

/// Where the golden of a case in this file lies: cases/lr/warmup.toml has golden/lr/warmup.h5; elsewhere it
/// is in a folder `golden` beside the file.
std::filesystem::path golden_file_of(const std::filesystem::path& case_file);

/// Where a case of this name lies: below the folder `cases` that `beside` is in, else beside it.
std::filesystem::path case_file_of(const std::string& name, const std::filesystem::path& beside);

}  // namespace parity
