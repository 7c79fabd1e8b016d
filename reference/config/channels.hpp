// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::reference {

/// A channel that parity-train records: at every update of a run, or at none.
struct ChannelRow {
  std::string name;
  std::string doc;
  bool always = true;  ///< in every run; false = only as its doc says
};

/// Layers that have a channel "gap.layers.N" each.
constexpr int64_t most_billed_layers = 128;

/// Returns the channel name "comm.<group>.<collective>.<what>". It counts the calls or bytes that a rank gave
/// to a collective during an update. The trace of several ranks has the largest count; if they differ,
/// "....min" has the smallest.
std::string comm_channel(const std::string& group, const std::string& collective, const std::string& what);

/// Returns all channels. A case that names another channel is rejected before anything runs.
const std::vector<ChannelRow>& channels();

}  // namespace parity::reference
