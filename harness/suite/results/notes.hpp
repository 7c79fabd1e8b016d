// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"

namespace parity {

/// Sentences about what nobody asked for and everybody wants to know: updates wasted on a learning rate of 0,
/// how many there are in each arm, and what the trainers warned of.
std::vector<std::string> notes_on(const Case& source, const Evidence& evidence);

}  // namespace parity
