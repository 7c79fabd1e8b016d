// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// Returns the tensor at which two runs first diverge, in the order in which the first run recorded its
/// tensors. Its bits differ, or ranks of the second run hold it as replicas that differ (a trace shows only
/// one of them). Tensors that only one run recorded are skipped.
std::optional<trace::TensorKey> first_difference(const trace::Trace& healthy, const trace::Trace& faulty);

}  // namespace parity::compare
