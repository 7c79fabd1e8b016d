// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model/case.hpp"
#include "reports/model/json_node.hpp"

namespace parity::reports {

/// Adds to each curve of a case the bounds that its checks measured for it. If two checks bound the same
/// sides, the first counts.
/// \param node  the case, whose checks have been read
/// \throws UserError naming the place if a list is not as long as its steps
void read_bounds(const JsonNode& node, Case& item);

}  // namespace parity::reports
