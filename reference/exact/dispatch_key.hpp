// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/DispatchKey.h>

namespace parity::reference::exact {

/// The dispatch key under which every operator arrives, below autograd and above the CPU's kernels. PyTorch
/// reserves it for libraries and does not use it.
constexpr c10::DispatchKey dispatch_key = c10::DispatchKey::Fake;

}  // namespace parity::reference::exact
