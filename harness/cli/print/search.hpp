// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/exit_code.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity::cli {

/// Writes the record to OUT/bisect/NAME.json and its page to NAME.html next to it, and prints the record: the
/// stages and then the sentence, or JSON. Prints the page's path on stderr.
/// \return agree if the two sides do not differ, else differ
ExitCode report_search(const bisect::SearchRecord& record, const std::filesystem::path& out,
                       const std::string& name, bool json);

}  // namespace parity::cli
