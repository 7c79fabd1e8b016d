// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"

namespace parity::suite {

/// Returns sentences about findings that no check asks for: updates wasted on a learning rate of 0, with
/// their number in each arm, and the warnings of the trainers.
std::vector<std::string> notes_on(const Case& source, const Evidence& evidence);

}  // namespace parity::suite
