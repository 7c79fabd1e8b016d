// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/trace/read/trace.hpp"

namespace parity {

/// What a run computed, as 32 hexadecimal digits: steps, numeric channels, sketches with the tensors'
/// digests, and the config. Never provenance, timing channels, or where things lie in the file. Whether a
/// sketched tensor was also kept whole does not matter; a tensor without a sketch counts by the digest of its
/// values.
std::string content_digest(const Trace& trace);

}  // namespace parity
