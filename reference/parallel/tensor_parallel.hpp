// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/collectives.hpp"

namespace parity::reference {

/// Cuts a model's matrices over ranks that share its rows, and puts the collectives around its parts.
///
/// | weight               | cut     | before                           | after                            |
/// |----------------------|---------|----------------------------------|----------------------------------|
/// | tok_embeddings       | rows    | own tokens, others looked up as 0 | others' rows zeroed, sum         |
/// | wq wk wv, w1 w3      | rows    | enter (attention, feed_forward)  |                                  |
/// | wqkv, wq_b wkv_b     | rows    | enter (attention)                |                                  |
/// | wq_a, wkv_a          | whole   | enter (attention)                |                                  |
/// | wo, w2               | columns |                                  | sum                              |
/// | experts w1 w3 and w2 | rows and columns of each expert | enter (moe)  | sum (moe, with the shared ones)
/// | | router.gate          | whole   |                                  |                                  |
/// | every norm           | whole   |                                  |                                  |
/// | output               | rows    | enter                            | gather logits unless loss_parallel |
///
/// With sequence_parallel the residual stream is cut along the sequence between them: sum becomes
/// reduce-scatter, enter becomes gather; the last gather is behind the final norm, so that output and a loss
/// in chunks see whole sequences. A norm's gradient is then a term for its part of the sequence, the same sum
/// over all ranks is the whole. Any sequence length: the last ranks have shorter parts, or none.
///
/// What is whole inside attention (wq_a, wkv_a, norms of heads and of latents) has a gradient that is a term
/// of this rank's heads, also where the sequence is whole.
///
/// A router sees every token on every rank and chooses the same; its gradient is a term, since a rank's
/// experts give terms of what the scores multiply.
///
/// The first weights are given up: model.parameters() holds empty tensors where a part has replaced them.
/// \param model   with its first weights, whole and the same on every rank
/// \param ranks   along tp; their number divides the query and the key heads
/// \return in the order of the model, this rank's parts in memory of their own; gradients that are terms say
/// so Source: NUMERICS.md 6; Megatron-LM (arXiv:1909.08053, 2205.05198).
Parameters apply_tensor_parallel(Decoder& model, const ParallelConfig& config, const GroupPointer& ranks);

/// The dimension along which a weight is cut, by its name; none for norms and routers.
std::optional<int64_t> tensor_parallel_cut(std::string_view name);

}  // namespace parity::reference
