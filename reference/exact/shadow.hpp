// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The residues of tensors, kept beside their memory.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "reference/exact/arithmetic/numbers.hpp"

namespace parity::reference::exact {

/// What is known of the memory of a floating-point tensor.
enum class Known {
  nothing,    ///< an operator did not write it; its numbers cannot be read
  unwritten,  ///< an operator allocated it
  constants,  ///< its values are constants of the program
  numbers,    ///< it has residues
};

/// Returns whether a tensor can have residues: real or complex floating point, with memory of its own.
bool is_numeric(const at::Tensor& x);

Known known_of(const at::Tensor& x);

/// Returns the residues of a tensor, in its shape; a complex tensor's have one more dimension, of 2.
/// An integer or bool tensor is made of constants.
/// \throws UserError if its memory changed outside of operators
Numbers read(const at::Tensor& x);
/// Throws if the memory of a tensor, whole, changed outside of operators. `read` checks all but small views.
void check_unchanged(const at::Tensor& x);
/// Sets the residues of a tensor, which has its new values already. Views of the same memory see them.
/// \param numbers  of a shape that can be expanded to the tensor's
void write(const at::Tensor& x, const Numbers& numbers);
/// States that the memory has just been allocated, or that its values are constants.
void mark_unwritten(const at::Tensor& x);
void mark_constant(const at::Tensor& x);

/// Keeps only the first levels of this memory, where nobody takes so many exponentials of it as it has
/// levels. A mistake is refused, since an exponential then has no level left.
void limit_levels(const at::Tensor& x, size_t count);
/// Forgets all residues.
void forget_all();

/// From now on, upper levels of this memory are hashes of level 0. For parameters: what an optimizer writes
/// has level 0 only, and the next forward pass needs all levels.
void lift_always(const at::Tensor& x);

}  // namespace parity::reference::exact
