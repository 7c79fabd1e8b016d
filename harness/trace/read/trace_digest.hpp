// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/trace/read/trace_content.hpp"

namespace parity {

/// The root attribute that holds it.
inline constexpr const char* digest_attribute = "digest";

/// What a complete trace file says of all its content but the tensors' values, which the digests of their
/// rows cover: 32 hexadecimal digits, FORMAT.md. It finds accidents, and keeps out nobody who can compute it.
///
/// Unlike content_digest, which compares runs, it covers provenance, timing, the order of rows, and what the
/// file says of itself.
std::string trace_digest(const TraceContent& trace);

}  // namespace parity
