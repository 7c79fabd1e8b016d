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

/// "comm.<group>.<collective>.<what>": calls or bytes that a rank gave to a collective during an update;
/// the trace of several ranks has the largest, and as "....min" the smallest where they differ.
std::string comm_channel(const std::string& group, const std::string& collective, const std::string& what);

/// All of them. A case that names another one is told before anything runs.
const std::vector<ChannelRow>& channels();

}  // namespace parity::reference
