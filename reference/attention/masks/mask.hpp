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

/// What has to allow a pair, all of it, besides q >= kv.
struct MaskRule {
  std::optional<DocumentRule> documents = std::nullopt;  ///< both of one document
  int64_t sliding_window = 0;  ///< at most this far, itself counted; 0 = any distance
  int64_t fixed_block = 0;     ///< both of one block of so many tokens; 0 = no blocks
  FixedBlockForm fixed_block_form = FixedBlockForm::corrected;

  bool causal_only() const { return !documents && sliding_window == 0 && fixed_block == 0; }
};

/// Which query-key pairs of a micro-batch attend.
struct Mask {
  int64_t rows = 0;                                          ///< B
  int64_t seq_len = 0;                                       ///< S
  std::shared_ptr<const std::vector<int64_t>> document_ids;  ///< [B, S]; null: documents are not told apart
  Predicate allows;
  bool contiguous = false;     ///< a query looks at neighbouring keys up to itself, or at none
  bool rows_differ = false;    ///< else `allows` answers the same for each row
  bool causal_only = false;    ///< q >= kv is all there is
  int64_t sliding_window = 0;  ///< of the rule

  /// Lengths of the pieces of each row, one row after another, out of which no query looks: documents, blocks
  /// or whole rows. A piece begins where a query does not see the token before it.
  std::vector<int64_t> segment_lengths() const;
  /// The first key that a query looks at, q + 1 if it looks at none; of a contiguous mask, in log S
  /// questions.
  int64_t first_key(int64_t b, int64_t q) const;
  /// [B, S] the same of every query.
  std::vector<int64_t> first_keys() const;
};

/// A contiguous mask.
/// \param tokens_BS, positions_BS  row after row; only what the rule looks at is read
Mask make_mask(const MaskRule& rule, std::span<const int64_t> tokens_BS,
               std::span<const int64_t> positions_BS, int64_t seq_len);

/// What a mask lets through. Adds up over micro-batches.
struct MaskFacts {
  int64_t pairs = 0;  ///< query-key pairs that attend
  Digest digest;      ///< of the pairs themselves; document numbers do not enter

  MaskFacts& operator+=(const MaskFacts& other);
};

/// \param mask       contiguous
/// \param first_row  number of the mask's first row in the update
MaskFacts facts_of(const Mask& mask, int64_t first_row);

}  // namespace parity::reference
