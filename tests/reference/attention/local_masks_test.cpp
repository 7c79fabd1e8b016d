// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Sliding windows and fixed blocks against their definitions, written out as in torchtitan and Hugging Face.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/attention/masks/fixed_block.hpp"
#include "reference/attention/masks/mask.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using Tokens = std::vector<int64_t>;

constexpr int64_t end_of_document = 9;
const DocumentRule by_eos{DocumentBoundary::eos, end_of_document};

TEST(FixedBlockTest, EightTokens_DistinguishFirstAndCorrectedForm) {
  // NUMERICS.md 2.2: blocks of 4, an EOS at token 1 only.
  const Tokens tokens = {1, end_of_document, 2, 3, 4, 5, 6, 7}, positions = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto mask = [&](FixedBlockForm form) {
    return make_mask({.documents = by_eos, .fixed_block = 4, .fixed_block_form = form}, tokens, positions, 8);
  };
  const Mask corrected = mask(FixedBlockForm::corrected), first = mask(FixedBlockForm::first_written);
  EXPECT_TRUE(corrected.allows(0, 6, 4));
  EXPECT_FALSE(first.allows(0, 6, 4)) << "compares the documents of tokens 2 and 0";
  EXPECT_THAT(corrected.segment_lengths(), ElementsAre(2, 2, 4));
  EXPECT_THAT(first.segment_lengths(), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(corrected.first_keys(), ElementsAre(0, 0, 2, 2, 4, 4, 4, 4));
  EXPECT_THAT(first.first_keys(), ElementsAre(0, 0, 2, 2, 4, 4, 6, 6));
}

TEST(FixedBlockTest, TheFirstFormLeaksOverABoundaryOfALaterBlock) {
  const Tokens tokens = {1, 2, 3, 4, 5, end_of_document, 6, 7}, positions = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto allows = [&](FixedBlockForm form) {
    return make_mask({.documents = by_eos, .fixed_block = 4, .fixed_block_form = form}, tokens, positions, 8)
        .allows(0, 6, 4);
  };
  EXPECT_FALSE(allows(FixedBlockForm::corrected));
  EXPECT_TRUE(allows(FixedBlockForm::first_written));
}

TEST(FixedBlockTest, BothFormsAreTheSameWhereOnlyCausalIsAsked) {
  const Tokens tokens(11, 1);
  const auto digest = [&](FixedBlockForm form) {
    return facts_of(make_mask({.fixed_block = 4, .fixed_block_form = form}, tokens, tokens, 11), 0).digest;
  };
  EXPECT_EQ(digest(FixedBlockForm::corrected), digest(FixedBlockForm::first_written));
}

TEST(FixedBlockTest, ChunksAreCountedFromBehindLeftPadding) {
  EXPECT_EQ(left_padding_of(Tokens{0, 0, 0, 1, 2}), 2);
  EXPECT_EQ(left_padding_of(Tokens{0, 1, 2}), 0);
  EXPECT_EQ(left_padding_of(Tokens{3, 4}), 0);
  EXPECT_EQ(left_padding_of(Tokens{0, 0}), 1);
  EXPECT_EQ(left_padding_of(Tokens{}), 0);
  const Tokens tokens(12, 1), positions = {0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5};  // 2 of padding, then none
  const Mask mask =
      make_mask({.fixed_block = 2, .fixed_block_form = FixedBlockForm::chunked}, tokens, positions, 6);
  EXPECT_THAT(mask.first_keys(), ElementsAre(0, 0, 2, 2, 4, 4, 0, 0, 2, 2, 4, 4));
  const Mask threes =
      make_mask({.fixed_block = 3, .fixed_block_form = FixedBlockForm::chunked}, tokens, positions, 6);
  EXPECT_THAT(threes.first_keys(), ElementsAre(0, 0, 2, 2, 2, 5, 0, 0, 0, 3, 3, 3));
}

TEST(SlidingWindowTest, CountsTheQueryItself) {
  const Tokens tokens(5, 1);
  EXPECT_THAT(make_mask({.sliding_window = 1}, tokens, tokens, 5).first_keys(), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(make_mask({.sliding_window = 3}, tokens, tokens, 5).first_keys(), ElementsAre(0, 0, 0, 1, 2));
  EXPECT_EQ(facts_of(make_mask({.sliding_window = 5}, tokens, tokens, 5), 0).pairs, 15);
}

RC_GTEST_PROP(LocalMaskProperty, APairAttendsIfEveryRuleAllowsIt, ()) {
  const auto S = *rc::gen::inRange<int64_t>(1, 50);
  const auto length = static_cast<size_t>(S);
  const auto tokens =
      *rc::gen::container<Tokens>(length, rc::gen::element<int64_t>(1, 2, 3, end_of_document));
  const auto positions = *rc::gen::container<Tokens>(length, rc::gen::inRange<int64_t>(0, 2));
  const auto window = *rc::gen::inRange<int64_t>(0, 12), block = *rc::gen::inRange<int64_t>(0, 12);
  const auto form =
      *rc::gen::element(FixedBlockForm::corrected, FixedBlockForm::first_written, FixedBlockForm::chunked);
  const auto documents = *rc::gen::arbitrary<bool>();
  Tokens id(length, 0);  // number of EOS before each token
  for (size_t i = 1; i < length; ++i)
    id[i] = id[i - 1] + (tokens[i - 1] == end_of_document ? 1 : 0);
  const auto inner = [&](int64_t q, int64_t kv) {
    return kv <= q && (!documents || id[static_cast<size_t>(q)] == id[static_cast<size_t>(kv)]);
  };
  const int64_t pad = left_padding_of(positions);
  const auto floored = [&](int64_t i) {
    return static_cast<int64_t>(std::floor(static_cast<double>(i - pad) / static_cast<double>(block)));
  };
  const auto by_definition = [&](int64_t q, int64_t kv) {
    if (window > 0 && q - kv >= window)
      return false;
    if (block == 0)
      return inner(q, kv);
    if (form == FixedBlockForm::first_written)
      return q / block == kv / block && inner(q % block, kv % block);
    return inner(q, kv) &&
           (form == FixedBlockForm::chunked ? floored(q) == floored(kv) : q / block == kv / block);
  };
  MaskRule rule{.sliding_window = window, .fixed_block = block, .fixed_block_form = form};
  if (documents)
    rule.documents = by_eos;
  const Mask mask = make_mask(rule, tokens, positions, S);
  const Tokens first = mask.first_keys();
  int64_t pairs = 0;
  for (int64_t q = 0; q < S; ++q)
    for (int64_t kv = 0; kv < S; ++kv) {
      RC_ASSERT(mask.allows(0, q, kv) == by_definition(q, kv));
      RC_ASSERT(mask.allows(0, q, kv) == (kv <= q && kv >= first[static_cast<size_t>(q)]));
      pairs += mask.allows(0, q, kv) ? 1 : 0;
    }
  RC_ASSERT(facts_of(mask, 0).pairs == pairs);
  RC_ASSERT(mask.causal_only == (!documents && window == 0 && block == 0));
}

}  // namespace
}  // namespace parity::reference
