// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/masks/mask.hpp"

#include "harness/base/error.hpp"
#include "reference/attention/masks/causal.hpp"
#include "reference/attention/masks/eos_documents.hpp"
#include "reference/attention/masks/fixed_block.hpp"
#include "reference/attention/masks/position_difference.hpp"
#include "reference/attention/masks/position_zero.hpp"
#include "reference/attention/masks/same_document.hpp"
#include "reference/attention/masks/sliding_window.hpp"

namespace parity::reference {
namespace {

/// Returns the document ids of one row. This is the only table of boundaries.
std::vector<int64_t> ids_of(const DocumentRule& rule, std::span<const int64_t> tokens_S,
                            std::span<const int64_t> positions_S) {
  switch (rule.boundary) {
    case DocumentBoundary::eos:
      return eos_documents(tokens_S, rule.eos_id);
    case DocumentBoundary::position_difference:
      return position_difference_documents(positions_S);
    case DocumentBoundary::position_zero:
      return position_zero_documents(positions_S);
  }
  throw InternalError("unknown document boundary");
}

std::shared_ptr<const std::vector<int64_t>> ids_of_rows(const DocumentRule& rule,
                                                        std::span<const int64_t> tokens_BS,
                                                        std::span<const int64_t> positions_BS,
                                                        size_t length) {
  std::vector<int64_t> ids;
  ids.reserve(tokens_BS.size());
  for (size_t begin = 0; begin < tokens_BS.size(); begin += length) {
    const std::vector<int64_t> row =
        ids_of(rule, tokens_BS.subspan(begin, length), positions_BS.subspan(begin, length));
    ids.insert(ids.end(), row.begin(), row.end());
  }
  return std::make_shared<const std::vector<int64_t>>(std::move(ids));
}

std::shared_ptr<const std::vector<int64_t>> left_paddings(std::span<const int64_t> positions_BS,
                                                          size_t length) {
  std::vector<int64_t> padding;
  for (size_t begin = 0; begin < positions_BS.size(); begin += length)
    padding.push_back(left_padding_of(positions_BS.subspan(begin, length)));
  return std::make_shared<const std::vector<int64_t>>(std::move(padding));
}

}  // namespace

std::vector<int64_t> Mask::segment_lengths() const {
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t q = 0; q < seq_len; ++q) {
      if (q == 0 || !allows(b, q, q - 1))
        lengths.push_back(0);
      ++lengths.back();
    }
  return lengths;
}

int64_t Mask::first_key(int64_t b, int64_t q) const {
  require(contiguous, "a mask with holes has more than a first key");
  int64_t none = -1, some = q + 1;  // q attends to every key from `some` on, and to none up to `none`
  while (some - none > 1) {
    const int64_t middle = none + (some - none) / 2;
    (allows(b, q, middle) ? some : none) = middle;
  }
  return some;
}

std::vector<int64_t> Mask::first_keys() const {
  std::vector<int64_t> keys;
  keys.reserve(static_cast<size_t>(rows * seq_len));
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t q = 0; q < seq_len; ++q)
      keys.push_back(first_key(b, q));
  return keys;
}

Mask make_mask(const MaskRule& rule, std::span<const int64_t> tokens_BS,
               std::span<const int64_t> positions_BS, int64_t seq_len) {
  const auto length = static_cast<size_t>(seq_len);
  Mask mask{.rows = static_cast<int64_t>(tokens_BS.size()) / seq_len,
            .seq_len = seq_len,
            .document_ids = nullptr,
            .allows = Causal{},
            .contiguous = true,
            .rows_differ = rule.documents.has_value(),
            .causal_only = rule.causal_only(),
            .sliding_window = rule.sliding_window};
  if (rule.documents) {
    mask.document_ids = ids_of_rows(*rule.documents, tokens_BS, positions_BS, length);
    mask.allows = and_masks(Causal{}, SameDocument{mask.document_ids, seq_len});
  }
  const int64_t block = rule.fixed_block;
  if (block > 0 && rule.fixed_block_form == FixedBlockForm::first_written) {
    mask.allows = FixedBlockAsFirstWritten{block, mask.allows};
  } else if (block > 0 && rule.fixed_block_form == FixedBlockForm::chunked) {
    mask.rows_differ = true;
    mask.allows = and_masks({mask.allows, FixedBlock{block, left_paddings(positions_BS, length)}});
  } else if (block > 0) {
    mask.allows = and_masks({mask.allows, FixedBlock{block}});
  }
  if (rule.sliding_window > 0)
    mask.allows = and_masks({mask.allows, SlidingWindow{rule.sliding_window}});
  return mask;
}

MaskFacts& MaskFacts::operator+=(const MaskFacts& other) {
  pairs += other.pairs;
  digest += other.digest;
  return *this;
}

MaskFacts facts_of(const Mask& mask, int64_t first_row) {
  // One bit per pair: each query's keys in words of 64 bits, digested with the words' place in the update.
  const int64_t S = mask.seq_len;
  const int64_t words = (S + 63) / 64;
  std::vector<int64_t> bits(static_cast<size_t>(S * words));
  MaskFacts facts;
  for (int64_t b = 0; b < mask.rows; ++b) {
    bits.assign(bits.size(), 0);
    for (int64_t q = 0; q < S; ++q)
      for (int64_t kv = mask.first_key(b, q); kv <= q; ++kv) {
        bits[static_cast<size_t>(q * words + kv / 64)] |= static_cast<int64_t>(uint64_t{1} << (kv % 64));
        ++facts.pairs;
      }
    facts.digest += measure::digest_of({DType::int64, {S, words}, bits.data()},
                                       static_cast<uint64_t>((first_row + b) * S * words));
  }
  return facts;
}

}  // namespace parity::reference
