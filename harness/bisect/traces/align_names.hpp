// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// Pairs the tensors of two traces whose trainers use different names.
///
/// In each phase it pairs tensors of equal shape in order of execution, so that their norms are closest in
/// total (a weighted longest common subsequence). Uses the first step at which both traces have tensors.
/// Cost: for each phase, the product of the numbers of tensors.
/// \return names of `actual` -> names of `expected`, without names that both have
std::map<std::string, std::string> align_names(const trace::Trace& expected, const trace::Trace& actual);

}  // namespace parity::bisect
