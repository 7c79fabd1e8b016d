// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/channels.hpp"

namespace parity::reference {

const std::vector<ChannelRow>& channels() {
  static const std::vector<ChannelRow> table = {
      {"loss", "Loss of the update, as it was differentiated."},
      {"grad_norm", "L2 norm of all gradients before clipping."},
      {"lr", "Learning rate that the update used."},
      {"weight_decay", "Weight decay that the update used, where a schedule moves it.", false},
      {"valid_tokens", "Labels of the update that count."},
      {"update_norm", "L2 norm of the change of all parameters, accumulated in float64."},
      {"batch_digest", "Digest of the update's tokens and labels; the same for any number of micro-batches."},
      {"mask_pairs", "Query-key pairs that attend, where the data has documents or the backend is not sdpa.",
       false},
      {"mask_digest", "Digest of those pairs; the same for any number of micro-batches.", false},
      {"position_digest", "Digest of the positions; where mask_pairs is.", false},
      {"tokens_per_second", "Tokens of the update over its wall time; shown, never compared."},
      {"step_seconds", "Wall time of the update; shown, never compared."},
  };
  return table;
}

}  // namespace parity::reference
