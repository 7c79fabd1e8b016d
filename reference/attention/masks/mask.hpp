// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/measure/digest.hpp"
#include "reference/attention/masks/predicate.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// How documents are told apart.
struct DocumentRule {
  DocumentBoundary boundary = DocumentBoundary::eos;
  int64_t eos_id = -1;  ///< for boundary = eos
};

/// Which query-key pairs of a micro-batch attend: q >= kv, and both of one document where a rule is given.
struct Mask {
  int64_t rows = 0;                                          ///< B
  int64_t seq_len = 0;                                       ///< S
  std::shared_ptr<const std::vector<int64_t>> document_ids;  ///< [B, S]; null: documents are not told apart
  Predicate allows;

  /// Length of each document in each row, one row after another; whole rows without documents.
  std::vector<int64_t> document_lengths() const;
};

/// \param tokens_BS, positions_BS  row after row; only what the rule looks at is read
Mask make_mask(const std::optional<DocumentRule>& rule, std::span<const int64_t> tokens_BS,
               std::span<const int64_t> positions_BS, int64_t seq_len);

/// What a mask lets through. Adds up over micro-batches.
struct MaskFacts {
  int64_t pairs = 0;  ///< query-key pairs that attend
  Digest digest;      ///< of the pairs themselves; document numbers do not enter

  MaskFacts& operator+=(const MaskFacts& other);
};

/// \param first_row  number of the mask's first row in the update
MaskFacts facts_of(const Mask& mask, int64_t first_row);

}  // namespace parity::reference
