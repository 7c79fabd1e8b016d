// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity::suite {

/// Returns the folder `cases` above a file; empty if there is none.
/// \param absolute  path of the file
std::filesystem::path cases_folder_of(const std::filesystem::path& absolute);

/// Returns the path of a case's golden: golden/lr/warmup.h5 for cases/lr/warmup.toml. For a file outside
/// `cases` it is in a folder `golden` next to the file.
std::filesystem::path golden_file_of(const std::filesystem::path& case_file);

/// Returns the path of the case with this name: below the folder `cases` that contains `beside`, or else next
/// to `beside`.
std::filesystem::path case_file_of(const std::string& name, const std::filesystem::path& beside);

}  // namespace parity::suite
