// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "reports/model/suite/results.hpp"

namespace parity::cli {

/// In a GitHub workflow, appends OUT/summary.md to the job's summary and prints each failure on stderr as an
/// annotation of its case file. Elsewhere it does nothing. If the summary cannot be written, it warns on
/// stderr and leaves the exit status unchanged.
void report_to_github(const reports::Results& results, const std::filesystem::path& out);

}  // namespace parity::cli
