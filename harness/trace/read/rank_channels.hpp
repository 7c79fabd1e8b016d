// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/trace/read/trace_content.hpp"

namespace parity {

/// The channels of a run: those of rank 0, and of each that is per rank the largest value of a step, as a
/// numeric one. Where another rank has less at some step, "NAME.min" is the smallest; a rank without the
/// channel has 0. Steps are those of the first file; of a file that ends before, its own count.
/// \param files  by rank, the first of rank 0. \throws UserError if a channel is of two types
std::map<std::string, Channel> join_channels(const std::vector<const TraceContent*>& files);

}  // namespace parity
