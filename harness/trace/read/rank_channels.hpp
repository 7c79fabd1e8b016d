// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// Returns the channels of a run: those of rank 0, and the per-rank channels joined over all ranks. A joined
/// channel is numeric and holds the largest value of each step. Where another rank has a smaller value at
/// some step, channel "NAME.min" holds the smallest. A rank without the channel counts as 0. The steps are
/// those of the first file; a file that ends earlier contributes only its own steps.
/// \param files  by rank, rank 0 first
/// \throws UserError if ranks record one channel with different types
std::map<std::string, Channel> join_channels(const std::vector<const TraceContent*>& files);

}  // namespace parity::trace
