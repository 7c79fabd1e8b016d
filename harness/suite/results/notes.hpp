// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judged_check.hpp"

namespace parity::suite {

/// Returns sentences about findings that no check asks for: updates wasted on a learning rate of 0, with
/// their number in each arm, and the warnings of the trainers.
std::vector<std::string> notes_on(const Case& source, const Evidence& evidence);

/// Removes added checks whose exact twins could not be compared.
/// \return a sentence for each, with the reason
std::vector<std::string> take_unproved(std::vector<JudgedCheck>& judged);

}  // namespace parity::suite
