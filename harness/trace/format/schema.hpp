// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace parity {

/// The schema our traces are written in. Readers take any minor version of their major one.
/// Source: harness/trace/FORMAT.md.
inline constexpr std::string_view trace_schema = "parity.trace/1.2";
inline constexpr std::string_view trace_schema_major = "parity.trace/1.";
/// From this minor version on a complete trace has a digest over its content, a sketch row for each tensor,
/// and says its last step.
inline constexpr int64_t trace_minor_with_digest = 2;

}  // namespace parity
