// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/masks/mask.hpp"

#include "harness/base/error.hpp"
#include "reference/attention/masks/causal.hpp"
#include "reference/attention/masks/eos_documents.hpp"
#include "reference/attention/masks/position_difference.hpp"
#include "reference/attention/masks/position_zero.hpp"
#include "reference/attention/masks/same_document.hpp"

namespace parity::reference {
namespace {

/// Document ids of one row. The one table of boundaries.
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

}  // namespace

std::vector<int64_t> Mask::document_lengths() const {
  if (!document_ids)
    return std::vector<int64_t>(static_cast<size_t>(rows), seq_len);
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < rows * seq_len; ++i) {
    const auto at = static_cast<size_t>(i);
    if (i % seq_len == 0 || (*document_ids)[at] != (*document_ids)[at - 1])
      lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

Mask make_mask(const std::optional<DocumentRule>& rule, std::span<const int64_t> tokens_BS,
               std::span<const int64_t> positions_BS, int64_t seq_len) {
  const auto length = static_cast<size_t>(seq_len);
  Mask mask{static_cast<int64_t>(tokens_BS.size()) / seq_len, seq_len, nullptr, Causal{}};
  if (!rule)
    return mask;
  std::vector<int64_t> ids;
  ids.reserve(tokens_BS.size());
  for (size_t begin = 0; begin < tokens_BS.size(); begin += length) {
    const std::vector<int64_t> row =
        ids_of(*rule, tokens_BS.subspan(begin, length), positions_BS.subspan(begin, length));
    ids.insert(ids.end(), row.begin(), row.end());
  }
  mask.document_ids = std::make_shared<const std::vector<int64_t>>(std::move(ids));
  mask.allows = and_masks(Causal{}, SameDocument{mask.document_ids, seq_len});
  return mask;
}

MaskFacts& MaskFacts::operator+=(const MaskFacts& other) {
  pairs += other.pairs;
  digest += other.digest;
  return *this;
}

MaskFacts facts_of(const Mask& mask, int64_t first_row) {
  // A bit a pair, each query's keys in words of 64, digested with the words' place in the update.
  const int64_t S = mask.seq_len;
  const int64_t words = (S + 63) / 64;
  std::vector<int64_t> bits(static_cast<size_t>(S * words));
  MaskFacts facts;
  for (int64_t b = 0; b < mask.rows; ++b) {
    bits.assign(bits.size(), 0);
    for (int64_t q = 0; q < S; ++q)
      for (int64_t kv = 0; kv < S; ++kv)
        if (mask.allows(b, q, kv)) {
          bits[static_cast<size_t>(q * words + kv / 64)] |= static_cast<int64_t>(uint64_t{1} << (kv % 64));
          ++facts.pairs;
        }
    facts.digest += digest_of({DType::int64, {S, words}, bits.data()},
                              static_cast<uint64_t>((first_row + b) * S * words));
  }
  return facts;
}

}  // namespace parity::reference
