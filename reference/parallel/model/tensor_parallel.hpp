// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/core/collectives.hpp"

namespace parity::reference {

/// Shards a model's matrices over ranks with the same rows, and adds the collectives around its modules.
///
/// | weight               | cut     | before                           | after                            |
/// |----------------------|---------|----------------------------------|----------------------------------|
/// | tok_embeddings       | rows    | own tokens, others looked up as 0 | others' rows zeroed, sum         |
/// | wq wk wv, w1 w3      | rows    | enter (attention, feed_forward)  |                                  |
/// | wqkv, wq_b wkv_b     | rows    | enter (attention)                |                                  |
/// | wq_a, wkv_a          | whole   | enter (attention)                |                                  |
/// | wo, w2               | columns |                                  | sum                              |
/// | wg, sinks            | rows    | enter (attention)                |                                  |
/// | biases               | with the rows; of wo and w2 whole, added after the sum                      |
/// | adapters             | with the rows (B) or columns (A) of their matrix; the other one is whole    |
/// | experts w1 w3        | rows    | enter (moe)                      |                                  |
/// | experts w2           | columns |                                  | sum (moe, with the shared ones)  |
/// | router.gate          | whole   |                                  |                                  |
/// | every norm           | whole   |                                  |                                  |
/// | output               | rows    | enter                            | gather logits unless loss_parallel |
///
/// With sequence_parallel the residual stream between these modules is sharded along the sequence. Then sum
/// becomes reduce-scatter, and enter becomes gather. The last gather follows the final norm, so that output
/// and a loss in chunks see whole sequences. The gradient of a norm on one rank is then one term, of that
/// rank's part of the sequence. The sum over all ranks is the gradient. The sequence may have any length: the
/// last ranks have shorter parts, or none.
///
/// Weights that are whole inside attention (wq_a, wkv_a, norms of heads and of latents) have a gradient that
/// is the term of this rank's heads, also if the sequence is whole.
///
/// A router sees every token on every rank and makes the same choice. Its gradient is a term, because each
/// rank has a shard of every expert.
///
/// The initial weights are freed: model.parameters() holds empty tensors where a shard has replaced them.
/// \param model   with its initial weights, whole and the same on every rank
/// \param ranks   along tp; their number divides the query and the key heads
/// \return this rank's shards in memory of their own, in the order of the model, with
///         Parameter::partial_gradient_over set if a gradient is a term
/// Source: NUMERICS.md 6; Megatron-LM (arXiv:1909.08053, 2205.05198).
Parameters apply_tensor_parallel(Decoder& model, const ParallelConfig& config, const GroupPointer& ranks);

/// Returns the dimension along which a weight is sharded, by its name; nothing for weights that are whole.
std::optional<int64_t> tensor_parallel_cut(std::string_view name);

}  // namespace parity::reference
