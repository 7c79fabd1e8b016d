// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/cuda/device.hpp"

namespace parity::reference {

/// A device in this machine's memory that behaves like a GPU. The host cannot read its memory: using a
/// pointer of a tensor there on the CPU is a segmentation fault. An operator with tensors of both places
/// throws. Messages have an order and no tags. Its operators are those of the CPU, on copies. So a run on it
/// has the bits of a run on the CPU, unless code ignores where its tensors are.
///
/// Registers LibTorch's PrivateUse1 at the first call.
Device foreign_device();

/// Returns the number of operators that ran there in this process.
int64_t foreign_operators();
/// Returns the number of collectives and messages of foreign tensors in this process.
int64_t foreign_collectives();
/// Returns the bytes of tensors that were copied from there to the CPU in this process.
int64_t foreign_bytes_to_host();

}  // namespace parity::reference
