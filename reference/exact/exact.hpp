// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The exact twin: every operator of this process computes residues beside its values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "reference/exact/arithmetic/tower.hpp"
#include "reference/exact/dispatch_key.hpp"

namespace parity::reference::exact {

/// Lets all operators of this thread, and of the threads that it starts backward passes in, compute residues.
/// Residues of an earlier twin are forgotten.
void begin(Tower tower);
/// Returns whether operators compute residues now: in a twin, and not in the scope of a ValuesAlone.
bool is_active();
/// Ends the twin of this thread. \pre begin()
void end();

/// While it lives, operators of this thread compute values alone. For what a program only reads out.
class ValuesAlone {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{dispatch_key};
};

/// Gives a tensor's elements new residues: hashes of a name and of the element's place.
/// \param x  of any strides
void draw(const at::Tensor& x, const std::string& name);
/// \param places  int64, of x's shape: the place of each element in the whole tensor that x is a part of
void draw(const at::Tensor& x, const std::string& name, const at::Tensor& places);

/// Returns the residues that `draw` gives: hashes of a name and of places.
at::Tensor drawn(const std::string& name, const at::Tensor& places);

/// Gives a tensor the residues of level 0 that `residues_of` returned of another one, as after a restart.
/// \param residues  int64, of x's shape
void restore(const at::Tensor& x, const at::Tensor& residues);

/// Runs a function that changes a tensor's memory outside of operators, as a planted fault does. Each element
/// whose bits it changes gets another residue: a hash of the old one and of the new bits.
/// \param x  real
void follow_change(const at::Tensor& x, const std::function<void()>& change);

/// Returns a copy of the residues of level 0, int64, contiguous, in the shape of a real tensor.
at::Tensor residues_of(const at::Tensor& x);

/// Returns a tensor whose memory the program filled by itself, with constants: weights of a file, rewards.
/// \return x; outside of an exact twin nothing else happens
at::Tensor filled_with_constants(at::Tensor x);

/// Gives a tensor that a kernel of our own wrote, and no operator, the residues of the same function computed
/// with operators. So the kernel itself is taken at its word; cases of operators judge it.
/// \return `result`; outside of an exact twin nothing else happens
at::Tensor computed_as(at::Tensor result, const std::function<at::Tensor()>& function);

/// Returns a copy, through autograd, whose residues are hashes of x's, so that all levels are known again.
/// Each row's hash is drawn so that what its norm divides by has a square root: mean(x^2) + eps, or the
/// variance + eps. Copy and original count as independent
/// variables: equality then holds for any values of both.
/// \param x         [..., D]
/// \param centered  of a norm that subtracts the mean
at::Tensor renewed(const at::Tensor& x, double eps, bool centered = false);

}  // namespace parity::reference::exact
