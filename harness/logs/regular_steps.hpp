// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace parity::logs {

/// Returns the steps at which a log has a row, and a channel lacks the value that its interval of logging
/// wants.
///
/// The interval is the most frequent distance of neighbouring steps. A step is due if it lies whole intervals
/// behind the value before it and whole intervals before the value after it. Of a channel that begins later
/// or ends earlier than the log, one of the two decides. A channel without an interval, as where fewer than
/// half of the distances are alike, lacks nothing.
/// \param steps  of the channel, ascending
/// \param rows   steps at which the log has any value, ascending
std::vector<int64_t> due_steps(const std::vector<int64_t>& steps, const std::vector<int64_t>& rows);

}  // namespace parity::logs
