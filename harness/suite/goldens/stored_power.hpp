// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/json.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity {

/// What `parity power` measured last (schema parity.power/1), below the folder of results.
std::filesystem::path power_file(const Case& source, const std::filesystem::path& out);

/// The same beside the case's golden, for whoever has not measured it.
std::filesystem::path recorded_power_file(const Case& source);

/// A case file's contents, so that a measurement of an older one is known.
std::string case_digest(const Case& source);

/// Whether what is kept beside the golden was measured before the case's file changed.
bool recorded_power_is_stale(const Case& source);

/// What a report prints of it, of the newer file of the two: {"sentence", "arm", "clean"}; null where nothing
/// was measured, a file is damaged, or --set changed the case. A case that has changed since says so in the
/// sentence.
Json stored_power(const Case& source, const std::filesystem::path& out);

}  // namespace parity
