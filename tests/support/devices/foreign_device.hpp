// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/cuda/device.hpp"

namespace parity::reference {

/// A device of this machine's memory that behaves as a GPU does: the host cannot read it (a pointer of a
/// tensor there, used on the CPU, is a segmentation fault), an operator that is given tensors of both places
/// throws, and messages keep an order and know no tags. Its operators are those of the CPU, on copies; so a
/// run on it has the bits of a run on the CPU, if nothing forgot where its tensors lie.
///
/// Registers LibTorch's PrivateUse1 at the first call.
Device foreign_device();

/// Operators that ran there in this process.
int64_t foreign_operators();
/// Collectives and messages of foreign tensors in this process.
int64_t foreign_collectives();
/// Bytes of tensors that were copied from there to the CPU in this process.
int64_t foreign_bytes_to_host();

}  // namespace parity::reference
