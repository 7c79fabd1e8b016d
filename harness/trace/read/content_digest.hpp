// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/trace/read/trace.hpp"

namespace parity::trace {

/// Returns a digest of what a run computed, as 32 hexadecimal digits. It covers steps, numeric channels,
/// sketches with the tensors' digests, and the config. It excludes provenance, timing channels and the
/// positions of objects in the file. A sketched tensor counts the same whether or not its values were kept
/// too. A tensor without a sketch counts by the digest of its values.
std::string content_digest(const Trace& trace);

}  // namespace parity::trace
