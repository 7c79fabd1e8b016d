// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/attention/masks/eos_documents.hpp"
#include "reference/attention/masks/mask.hpp"
#include "reference/attention/masks/position_difference.hpp"
#include "reference/attention/masks/position_zero.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using Tokens = std::vector<int64_t>;

constexpr int64_t eos = 9;

TEST(EosDocumentsTest, AnEosBelongsToTheDocumentItEnds) {
  EXPECT_THAT(eos_documents(Tokens{1, 2, eos, 3, eos, 4}, eos), ElementsAre(0, 0, 0, 1, 1, 2));
}

TEST(EosDocumentsTest, EdgesOfARow) {
  EXPECT_THAT(eos_documents(Tokens{}, eos), ElementsAre());
  EXPECT_THAT(eos_documents(Tokens{eos}, eos), ElementsAre(0));
  EXPECT_THAT(eos_documents(Tokens{eos, 1}, eos), ElementsAre(0, 1));
  EXPECT_THAT(eos_documents(Tokens{1, eos, eos}, eos), ElementsAre(0, 0, 1));
  EXPECT_THAT(eos_documents(Tokens{1, 2}, eos), ElementsAre(0, 0));
}

// Rows of NUMERICS.md 2.1.
const Tokens continuous_batching = {4, 5, 6, 0, 1, 2, 3, 7, 8, 9, 10};

TEST(PositionDifferenceTest, SplitsWhereverAPositionJumps) {
  EXPECT_THAT(position_difference_documents(continuous_batching),
              ElementsAre(0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2));
  EXPECT_THAT(position_difference_documents(Tokens{0, 1, 2, 5, 6}), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(position_difference_documents(Tokens{0, 1, 0, 0, 0}), ElementsAre(0, 0, 1, 2, 3));
}

TEST(PositionZeroTest, SplitsAtZeros_TokensBeforeAreDocumentMinusOne) {
  EXPECT_THAT(position_zero_documents(continuous_batching), ElementsAre(-1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(position_zero_documents(Tokens{0, 1, 2, 5, 6}), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(position_zero_documents(Tokens{0, 1, 0, 0, 0}), ElementsAre(0, 0, 1, 2, 3));
}

TEST(MaskTest, ContinuousBatchingRow_HasPairsCountedByHand) {
  const auto pairs = [](DocumentBoundary boundary) {
    const Tokens tokens(11, 1);
    return facts_of(make_mask({DocumentRule{boundary}}, tokens, continuous_batching, 11), 0).pairs;
  };
  EXPECT_EQ(pairs(DocumentBoundary::position_difference), 3 * 4 / 2 + 4 * 5 / 2 + 4 * 5 / 2);
  EXPECT_EQ(pairs(DocumentBoundary::position_zero), 3 * 4 / 2 + 8 * 9 / 2);
  const Tokens tokens(11, 1);
  EXPECT_EQ(facts_of(make_mask({}, tokens, continuous_batching, 11), 0).pairs, 11 * 12 / 2);
}

TEST(MaskTest, RowsAreIndependent) {
  const Tokens tokens = {1, eos, 2, 3, 4, 5};  // two rows of three; the EOS ends nothing in the second
  const Mask mask = make_mask({DocumentRule{DocumentBoundary::eos, eos}}, tokens, {}, 3);
  EXPECT_THAT(*mask.document_ids, ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THAT(mask.segment_lengths(), ElementsAre(2, 1, 3));
  EXPECT_TRUE(mask.allows(1, 2, 0));
  EXPECT_FALSE(mask.allows(0, 2, 0));
  EXPECT_FALSE(mask.allows(1, 0, 2));
}

TEST(MaskTest, DocumentNumbersDoNotEnterTheDigest) {
  const Tokens tokens = {7, 7, 7, 7, 7};
  const auto facts = [&](DocumentBoundary boundary, const Tokens& positions) {
    return facts_of(make_mask({DocumentRule{boundary}}, tokens, positions, 5), 0);
  };
  // -1 -1 0 0 0 against 0 0 1 1 1
  const MaskFacts zero = facts(DocumentBoundary::position_zero, {5, 6, 0, 1, 2});
  const MaskFacts difference = facts(DocumentBoundary::position_difference, {5, 6, 0, 1, 2});
  EXPECT_EQ(zero.pairs, difference.pairs);
  EXPECT_EQ(zero.digest, difference.digest);
  const MaskFacts other = facts(DocumentBoundary::position_difference, {0, 1, 2, 0, 1});
  EXPECT_EQ(other.pairs, zero.pairs);
  EXPECT_NE(other.digest, zero.digest) << "the same number of pairs, but others";
}

TEST(MaskTest, FactsAddUpOverMicroBatches) {
  const Tokens tokens = {1, eos, 2, 3, 1, 1, eos, 4};
  const DocumentRule rule{DocumentBoundary::eos, eos};
  const std::span<const int64_t> all = tokens;
  const MaskFacts whole = facts_of(make_mask({rule}, all, {}, 4), 0);
  MaskFacts parts = facts_of(make_mask({rule}, all.first(4), {}, 4), 0);
  parts += facts_of(make_mask({rule}, all.last(4), {}, 4), 1);
  EXPECT_EQ(whole.pairs, parts.pairs);
  EXPECT_EQ(whole.digest, parts.digest);
  MaskFacts swapped = facts_of(make_mask({rule}, all.last(4), {}, 4), 0);
  swapped += facts_of(make_mask({rule}, all.first(4), {}, 4), 1);
  EXPECT_NE(whole.digest, swapped.digest) << "the order of rows must show";
}

}  // namespace
}  // namespace parity::reference
