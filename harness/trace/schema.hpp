// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parity {

/// The schemas our traces are written in: of one rank, and of several. Readers take any minor version of
/// their major one. Source: harness/trace/FORMAT.md.
inline constexpr std::string_view trace_schema = "parity.trace/1.0";
inline constexpr std::string_view trace_schema_of_ranks = "parity.trace/1.1";
inline constexpr std::string_view trace_schema_major = "parity.trace/1.";

}  // namespace parity
