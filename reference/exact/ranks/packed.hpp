// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Residues as one tensor of integers, which ranks can exchange.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "reference/exact/arithmetic/numbers.hpp"

namespace parity::reference::exact {

/// Returns all planes as one tensor [rows, planes, ...] of a fixed number of planes: levels, power, factor.
at::Tensor packed(const Numbers& x, at::IntArrayRef shape);
at::Tensor packed(const at::Tensor& x);

/// The inverse. A plane that some rank did not have is dropped.
Numbers unpacked(const at::Tensor& planes);

/// Returns the sum over ranks of parts that follow each other: [n d, planes, ...] to [d, ...].
Numbers sum_of_parts(const at::Tensor& parts, int64_t n);

}  // namespace parity::reference::exact
