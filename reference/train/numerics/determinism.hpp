// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity::reference {

/// Makes this process compute the same bits every time: deterministic algorithms, a fixed number of threads,
/// no reduced-precision shortcuts. Call it once, before the first tensor. It does not make PyTorch fill new
/// memory, which would cost time and change nothing.
void make_deterministic(int64_t threads);

}  // namespace parity::reference
