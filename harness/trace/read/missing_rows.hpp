// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// Measures each whole tensor that a file stores without a row of /sketches, as other writers may, and adds
/// its row. So every reader of rows sees every tensor.
void add_missing_rows(TraceContent& trace);

}  // namespace parity::trace
