// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What is read back from each backend's form of a mask, against the mask's own answers, pair by pair.
#include "reference/attention/first_keys.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace parity::reference {
namespace {

using testing::ElementsAre;
using Places = std::vector<int64_t>;

/// The first key of each query by asking for every pair; q + 1 for none.
Places by_pairs(const Mask& mask, const Places& queries) {
  Places first;
  for (int64_t b = 0; b < mask.rows; ++b)
    for (const int64_t q : queries) {
      int64_t kv = 0;
      while (kv <= q && !mask.allows(b, q, kv))
        ++kv;
      first.push_back(kv);
    }
  return first;
}

Places read(const AttentionMasks& masks, int64_t rows, const Places& queries) {
  const torch::Tensor first_BQ =
      first_keys_of(masks, rows, torch::tensor(queries, torch::kInt64)).contiguous();
  const auto* values = first_BQ.const_data_ptr<int64_t>();
  return {values, values + first_BQ.numel()};
}

Places all_places(int64_t seq_len) {
  Places places(static_cast<size_t>(seq_len));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

RC_GTEST_PROP(FirstKeysProperty, EveryBackendsForm_HoldsTheMask, ()) {
  const auto S = *rc::gen::element<int64_t>(1, 3, 40, 128, 130, 300);
  const auto B = *rc::gen::inRange<int64_t>(1, 4);
  const auto starts = *rc::gen::container<Places>(
      static_cast<size_t>(B * S), rc::gen::inRange<int64_t>(0, *rc::gen::element<int64_t>(3, 30, 400)));
  MaskRule rule{.sliding_window = *rc::gen::element<int64_t>(0, 1, 7, 64, 129),
                .fixed_block = *rc::gen::element<int64_t>(0, 1, 16, 150)};
  if (*rc::gen::arbitrary<bool>())
    rule.documents = DocumentRule{DocumentBoundary::position_zero, -1};
  const Mask mask = make_mask(rule, starts, starts, S);
  const Places every = all_places(S);
  const Places expected = by_pairs(mask, every);
  for (const AttentionBackend backend :
       {AttentionBackend::flex, AttentionBackend::dense, AttentionBackend::varlen, AttentionBackend::tiled}) {
    const AttentionMasks masks = masks_for(backend, mask);
    RC_ASSERT(read(masks, B, every) == expected);
    const Places last(expected.end() - S, expected.end());
    RC_ASSERT(read(rows_of(masks, S, B - 1, 1), 1, every) == last);
  }
  const auto kept =
      *rc::gen::container<std::vector<bool>>(static_cast<size_t>(S), rc::gen::arbitrary<bool>());
  Places some;
  for (const int64_t place : every)
    if (kept[static_cast<size_t>(place)])
      some.push_back(place);
  RC_PRE(!some.empty());
  for (const AttentionBackend backend : {AttentionBackend::flex, AttentionBackend::dense})
    RC_ASSERT(read(masks_for(backend, mask, some), B, some) == by_pairs(mask, some));
}

TEST(FirstKeysTest, CausalForm_BeginsAtTheFirstToken) {
  EXPECT_THAT(read({}, 2, {0, 1, 2}), ElementsAre(0, 0, 0, 0, 0, 0));
}

/// The form of other queries, as a wrong cut makes it.
TEST(FirstKeysTest, KeysOfAnotherQuery_AreCounted) {
  const Mask causal = make_mask({}, all_places(4), all_places(4), 4);
  for (const AttentionBackend backend : {AttentionBackend::flex, AttentionBackend::dense})
    EXPECT_THAT(read(masks_for(backend, causal, {0, 2}), 1, {1, 3}), ElementsAre(-1, -3)) << name_of(backend);
}

TEST(FirstKeysTest, HolesAndEmptyRows_ShowInADenseMask) {
  const torch::Tensor allowed = torch::ones({1, 1, 3, 3}, torch::kBool).tril();
  allowed[0][0][1].fill_(false);  // attends to nothing
  allowed[0][0][2][1] = false;    // a hole
  const AttentionMasks masks{.backend = AttentionBackend::dense, .allowed_B1SS = allowed};
  EXPECT_THAT(read(masks, 1, {0, 1, 2}), ElementsAre(0, 2, -2));
}

}  // namespace
}  // namespace parity::reference
