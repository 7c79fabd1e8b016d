// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/exit_code.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity::cli {

/// Keeps the record as OUT/bisect/NAME.json, with its page NAME.html beside it, and prints it: stage by stage
/// with the sentence last, or as JSON. The page's path goes to stderr.
/// \return agree if the sides do not differ, else differ
ExitCode tell(const SearchRecord& record, const std::filesystem::path& out, const std::string& name,
              bool json);

}  // namespace parity::cli
