// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns the path of the last measurement of `parity power` (schema parity.power/1), in the results folder.
std::filesystem::path power_file(const Case& source, const std::filesystem::path& out);

/// Returns the path of the measurement recorded next to the case's golden, for users who have not measured
/// it.
std::filesystem::path recorded_power_file(const Case& source);

/// Returns a digest of a case file, which shows whether a measurement is of an older version of the file.
std::string case_digest(const Case& source);

/// Returns whether the measurement next to the golden is of an older version of the case file.
bool recorded_power_is_stale(const Case& source);

/// Returns the summary of the newer of the two files, for a report. Returns nothing
/// if there is no measurement, a file is damaged, or `--set` changed the case. If the case file has changed
/// since the measurement, the sentence says so.
std::optional<results::PowerSummary> stored_power(const Case& source, const std::filesystem::path& out);

}  // namespace parity::suite
