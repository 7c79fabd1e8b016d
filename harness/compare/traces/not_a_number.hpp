// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// Returns "loss is NaN at step 2" for the first step at which a channel is NaN; "" if none is. Timings do
/// not count.
std::string describe_not_a_number(const trace::Trace& trace);

}  // namespace parity::compare
