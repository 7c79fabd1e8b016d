// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/measure/tensor/digest.hpp"
#include "reference/attention/masks/predicate.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// How document boundaries are found.
struct DocumentRule {
  DocumentBoundary boundary = DocumentBoundary::eos;
  int64_t eos_id = -1;  ///< for boundary = eos
};

/// The conditions that a query-key pair must meet, all of them, in addition to q >= kv.
struct MaskRule {
  std::optional<DocumentRule> documents = std::nullopt;  ///< query and key are of one document
  int64_t sliding_window = 0;  ///< keys that a query may attend to, including itself; 0 = no limit
  int64_t fixed_block = 0;     ///< query and key are in one block of this many tokens; 0 = no blocks
  FixedBlockForm fixed_block_form = FixedBlockForm::corrected;

  bool causal_only() const { return !documents && sliding_window == 0 && fixed_block == 0; }
};

/// Which query-key pairs of a micro-batch attend.
struct Mask {
  int64_t rows = 0;                                          ///< B
  int64_t seq_len = 0;                                       ///< S
  std::shared_ptr<const std::vector<int64_t>> document_ids;  ///< [B, S]; null = no documents
  Predicate allows;
  bool contiguous = false;     ///< each query attends to neighbouring keys up to itself, or to none
  bool rows_differ = false;    ///< false: `allows` answers the same for each row
  bool causal_only = false;    ///< q >= kv is the only condition
  int64_t sliding_window = 0;  ///< of the rule

  /// Returns the lengths of the segments of each row, row after row: documents, blocks or whole rows. No
  /// query attends beyond its segment. A segment begins at a query that does not attend to the token before
  /// it.
  std::vector<int64_t> segment_lengths() const;
  /// Returns the first key that a query attends to, or q + 1 if it attends to none. The mask must be
  /// contiguous. Calls `allows` O(log S) times.
  int64_t first_key(int64_t b, int64_t q) const;
  /// Returns the first key of every query, [B, S].
  std::vector<int64_t> first_keys() const;
};

/// Returns a contiguous mask.
/// \param tokens_BS, positions_BS  row after row; only those that the rule uses are read
Mask make_mask(const MaskRule& rule, std::span<const int64_t> tokens_BS,
               std::span<const int64_t> positions_BS, int64_t seq_len);

/// Count and digest of the pairs that a mask allows. Both add up over micro-batches.
struct MaskFacts {
  int64_t pairs = 0;       ///< query-key pairs that attend
  measure::Digest digest;  ///< of the pairs; independent of document numbers

  MaskFacts& operator+=(const MaskFacts& other);
};

/// \param mask       contiguous
/// \param first_row  number of the mask's first row in the update
MaskFacts facts_of(const Mask& mask, int64_t first_row);

}  // namespace parity::reference
