// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/suite/repeats.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// Describes the first difference between two runs of one program in an update that both recorded in full:
/// "forward layers.0.wq at step 3, on rank 1: aten::mm of layers.0.wq gives a different result from the same
/// inputs". Says so where no operator was recorded. Of update 1, the initial weights come first.
/// \return no text if no tensor of the update differs
suite::UpdateDifference describe_update_difference(const trace::Trace& expected, const trace::Trace& actual,
                                                   int64_t update);

}  // namespace parity::bisect
