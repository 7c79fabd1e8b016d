// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// Name of the root attribute that holds the trace digest.
inline constexpr const char* digest_attribute = "digest";

/// Returns the digest of all content of a complete trace file except the tensors' values (32 hexadecimal
/// digits, FORMAT.md). The digests of the sketch rows cover the values. The digest detects accidental damage.
/// It does not protect against someone who can compute it.
///
/// content_digest compares runs. This digest also covers provenance, timing, the order of rows, and what the
/// file states about itself.
std::string trace_digest(const TraceContent& trace);

}  // namespace parity::trace
