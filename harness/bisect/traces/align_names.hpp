// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/trace/read/trace.hpp"

namespace parity {

/// Which tensors of two traces are the same one, where the trainers call them otherwise: of each phase, the
/// pairs in order of execution that have one shape and, taken together, the nearest norms (a longest common
/// subsequence weighed so). Looked for at the first step that both have tensors of.
/// Cost: the product of both counts, a phase.
/// \return names of `actual` -> those of `expected`; without names that both have
std::map<std::string, std::string> align_names(const Trace& expected, const Trace& actual);

}  // namespace parity
