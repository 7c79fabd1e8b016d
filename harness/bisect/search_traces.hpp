// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/search_record.hpp"
#include "harness/trace/trace.hpp"

namespace parity {

/// Where two traces part, from what they hold and without running anything.
SearchRecord search_traces(const Trace& expected, const Trace& actual);

}  // namespace parity
