// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/compare/traces/compare_traces.hpp"

namespace parity::cli {

/// Prints the difference of two traces for people: tables of channels and tensors.
/// \param all       shows identical tensors too
/// \param profiles  shows where and by how many ULPs each tensor differs
void print_traces(const compare::TraceDifference& difference, bool all, bool profiles);

/// Returns the verdict on two traces, a sentence.
std::string conclusion(const compare::TraceDifference& difference);

/// Returns the word for agreement. It is not "identical" under a policy that tolerates differences.
std::string agreeing_word(const compare::TraceDifference& difference);

}  // namespace parity::cli
