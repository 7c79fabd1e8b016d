// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/laws/law.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Compares the gradient of the matrix that makes the logits with that of the mean loss over all tokens, of a
/// run of one process. Gradients of micro-batches that are added up, or divided once too often, do not show
/// in the loss, and Adam hides them from the weights.
///
/// From logits = x W^T follows dL/dW = (softmax - label)^T x / valid. At most 64 rows of W are compared,
/// those with the largest gradients. Adds nothing if no recorded pair of W [V, D] and x [B, T, D] fits, as
/// with tied embeddings or other terms of the loss.
/// \param shift  as of `entropies`
void check_head_gradient(const RecordedRun& run, int64_t shift, Finding& finding);

}  // namespace parity::laws
