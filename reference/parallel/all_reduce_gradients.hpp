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

  /// "layers.0: 1 x 40 elements: layers.0.attention.wq.weight at 0, ...", as FSDP's units say it.
  std::string text() const;
};

/// Consecutive parameters of the embedding, of each block, and of norm and output.
std::vector<GradientBuffer> flat_buffers(const Parameters& parameters);

/// Each parameter by itself.
std::vector<GradientBuffer> single_buffers(const Parameters& parameters);

/// Sums the gradients of ranks that hold the same parameters, with one all-reduce of them one after the
/// other. The plainest way to replicate a model; what FSDP and HSDP do is held against it.
///
/// A rank without a gradient takes part with zeros, so that no other one waits for it.
/// \param buffer  [any shape] float32 or float64; the gradients are summed in place, in their own dtype
/// Determinism: the same bits on every rank. Over 2 ranks also for any cut of the buffers; over more, Gloo's
/// order of summation depends on the buffer's length.
void all_reduce_gradients(const GradientBuffer& buffer, const Group& replicas);

}  // namespace parity::reference
