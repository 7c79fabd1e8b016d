// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace parity::trace {

/// Schema version of the traces that this program writes. Readers accept every minor version of their major
/// version. Source: harness/trace/FORMAT.md.
inline constexpr std::string_view trace_schema = "parity.trace/1.2";
inline constexpr std::string_view trace_schema_major = "parity.trace/1.";
/// First minor version in which a complete trace has a digest over its content, a sketch row for each tensor,
/// and its last step.
inline constexpr int64_t trace_minor_with_digest = 2;

/// Kind of the failure of rank 0's trace when rank 0 ended well, but not all other ranks had left their
/// files.
inline constexpr std::string_view failure_of_ranks = "ranks";

}  // namespace parity::trace
