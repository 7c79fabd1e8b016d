// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <filesystem>
#include <string>

namespace parity {

/// Returns a point in time as ISO 8601 in UTC: "2026-01-01T00:00:00Z".
std::string utc_text(std::time_t time);

/// Returns the current time as utc_text() formats it.
std::string utc_now();

/// Returns when a file was last written; "" if there is no file.
std::string utc_of_file(const std::filesystem::path& file);

}  // namespace parity
