// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/coverage/pairs.hpp"

namespace parity::coverage {

/// Returns the arms of a topic without all of which every covered pair stays covered. Those with fewest
/// features come first, so they go first.
///
/// An arm "plain" shows its pairs only next to another arm: the last other arm of a case is spare if the
/// pairs of both are covered elsewhere. An arm that may have a feature, without a trace, is never spare.
/// \param topic  folder of the cases, with its slash
std::vector<std::string> spare_arms(const std::vector<ArmFeatures>& arms, std::string_view topic = "pairs/");

}  // namespace parity::coverage
