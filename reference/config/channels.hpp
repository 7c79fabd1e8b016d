// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity::reference {

/// A channel that parity-train records, at every update of a run or at none.
struct ChannelRow {
  std::string name;
  std::string doc;
  bool always = true;  ///< in every run, or only where its doc says
};

/// All of them. A case that names another one is told before anything runs.
const std::vector<ChannelRow>& channels();

}  // namespace parity::reference
