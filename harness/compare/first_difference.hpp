// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/trace/read/trace.hpp"

namespace parity {

/// Where two runs part: the first tensor, in the order in which the first run came to them, whose bits are
/// not the same, or that ranks of the second hold as replicas and is not equal there (of which a trace shows
/// only one). Tensors that only one of them recorded are passed over.
std::optional<TensorKey> first_difference(const Trace& healthy, const Trace& faulty);

}  // namespace parity
