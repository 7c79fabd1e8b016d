// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Predicates against independent definitions, over any rows.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/attention/masks/mask.hpp"

namespace parity::reference {
namespace {

constexpr int64_t end_token = 5;

/// Returns whether q attends to kv, by counting the boundaries between them.
bool by_definition(DocumentBoundary boundary, const std::vector<int64_t>& tokens,
                   const std::vector<int64_t>& positions, int64_t q, int64_t kv) {
  if (kv > q)
    return false;
  for (auto i = static_cast<size_t>(kv); i < static_cast<size_t>(q); ++i) {
    const bool cut = boundary == DocumentBoundary::eos ? tokens[i] == end_token
                     : boundary == DocumentBoundary::position_difference
                         ? positions[i + 1] != positions[i] + 1
                         : positions[i + 1] == 0;
    if (cut)
      return false;
  }
  return true;
}

RC_GTEST_PROP(MaskProperty, APairAttendsIfNothingCutsBetweenItsEnds, ()) {
  const auto S = *rc::gen::inRange<int64_t>(1, 70);
  const auto row_length = static_cast<size_t>(S);
  const auto tokens = *rc::gen::container<std::vector<int64_t>>(row_length, rc::gen::inRange(0, 12));
  const auto positions = *rc::gen::container<std::vector<int64_t>>(row_length, rc::gen::inRange(0, 4));
  int64_t attending[3] = {};
  for (const DocumentBoundary boundary :
       {DocumentBoundary::eos, DocumentBoundary::position_difference, DocumentBoundary::position_zero}) {
    const Mask mask = make_mask({DocumentRule{boundary, end_token}}, tokens, positions, S);
    int64_t& pairs = attending[static_cast<size_t>(boundary)];
    for (int64_t q = 0; q < S; ++q)
      for (int64_t kv = 0; kv < S; ++kv) {
        RC_ASSERT(mask.allows(0, q, kv) == by_definition(boundary, tokens, positions, q, kv));
        pairs += by_definition(boundary, tokens, positions, q, kv) ? 1 : 0;
      }
    RC_ASSERT(facts_of(mask, 0).pairs == pairs);
    int64_t of_lengths = 0;
    for (const int64_t length : mask.segment_lengths())
      of_lengths += length * (length + 1) / 2;
    RC_ASSERT(of_lengths == pairs);
  }
}

RC_GTEST_PROP(MaskProperty, TheDigestTellsMasksApartExactlyWhereAPairDiffers, ()) {
  const auto S = *rc::gen::inRange<int64_t>(1, 70);
  const auto rows = rc::gen::container<std::vector<int64_t>>(static_cast<size_t>(S), rc::gen::inRange(0, 3));
  const auto one = *rows, other = *rows;
  const DocumentRule rule{DocumentBoundary::position_difference, -1};
  const Mask a = make_mask({rule}, one, one, S), b = make_mask({rule}, other, other, S);
  bool same = true;
  for (int64_t q = 0; q < S; ++q)
    for (int64_t kv = 0; kv < S; ++kv)
      same = same && a.allows(0, q, kv) == b.allows(0, q, kv);
  RC_ASSERT((facts_of(a, 0).digest == facts_of(b, 0).digest) == same);
}

}  // namespace
}  // namespace parity::reference
