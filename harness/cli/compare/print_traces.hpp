// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/results/compare_traces.hpp"

namespace parity::cli {

/// Prints the difference of two traces for people: tables of channels and tensors, and the conclusion.
/// \param all       shows identical tensors too
/// \param profiles  shows where and by how many ULPs each tensor differs
void print_traces(const suite::TraceDifference& difference, bool all, bool profiles);

}  // namespace parity::cli
