// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Parameters whose gradients are reduced together.
struct GradientBuffer {
  std::string name;
  Parameters parameters;

  /// "layers.0: 1 x 40 elements: layers.0.attention.wq.weight at 0, ...", in the form of
  /// FsdpUnit::buffer_text.
  std::string text() const;
};

/// Returns one buffer each for the embedding, for every block, and for norm with output.
std::vector<GradientBuffer> flat_buffers(const Parameters& parameters);

/// Returns one buffer for each parameter.
std::vector<GradientBuffer> single_buffers(const Parameters& parameters);

/// Sums the gradients of a buffer over ranks that hold the same parameters, with one all-reduce. This is the
/// simplest way to replicate a model; the tests compare FSDP and HSDP with it.
///
/// A rank without a gradient takes part with zeros, so that no other rank waits for it.
/// \param buffer  [any shape] float32 or float64; the gradients are summed in place, in their own dtype
/// Determinism: the same bits on every rank. Over 2 ranks also for any cut of the buffers; over more, Gloo's
/// order of summation depends on the buffer's length.
void all_reduce_gradients(const GradientBuffer& buffer, const Group& replicas);

}  // namespace parity::reference
