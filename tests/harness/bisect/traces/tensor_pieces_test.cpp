// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/tensor_pieces.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/traces/recorded.hpp"

namespace parity::bisect {
namespace {

const std::vector<float> matrix = {1, 2, 3, 4, 5, 6, 7, 8};  // [2, 4]

TensorView view(const std::vector<float>& values, const Shape& shape) {
  return view_of(DType::float32, values, shape);
}

TEST(TensorPiecesTest, EachWay_JoinsRanks) {
  const TensorPieces whole = {{view(matrix, {2, 4})}};
  const std::vector<float> left = {1, 2, 5, 6}, right = {3, 4, 7, 8}, top = {1, 2, 3, 4},
                           bottom = {5, 6, 7, 8};
  EXPECT_EQ(pieces_agree(whole, {{view(left, {2, 2})}, {view(right, {2, 2})}}, 0), true);
  EXPECT_EQ(pieces_agree(whole, {{view(top, {1, 4})}, {view(bottom, {1, 4})}}, 0), true);
  EXPECT_EQ(pieces_agree(whole, {{view(matrix, {2, 4})}, {view(matrix, {2, 4})}}, 0), true);
  const std::vector<float> one = {1, 1, 1, 1, 1, 1, 1, 1}, rest = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(pieces_agree(whole, {{view(one, {2, 4})}, {view(rest, {2, 4})}}, 0), true);
  EXPECT_EQ(pieces_agree(whole, {{view(bottom, {1, 4})}, {view(top, {1, 4})}}, 0), false)
      << "in the wrong order";
  EXPECT_EQ(pieces_agree(whole, {{view(one, {2, 4})}, {view(one, {2, 4})}}, 0), false);
}

TEST(TensorPiecesTest, MicroBatchesThenRanks_AreJoined) {
  const TensorPieces whole = {{view(matrix, {2, 4})}};
  const std::vector<float> a = {1, 2}, b = {5, 6}, c = {3, 4}, d = {7, 8};
  EXPECT_EQ(pieces_agree(whole, {{view(a, {1, 2}), view(b, {1, 2})}, {view(c, {1, 2}), view(d, {1, 2})}}, 0),
            true);
  EXPECT_EQ(pieces_agree(whole, {{view(a, {1, 2}), view(c, {1, 2})}, {view(b, {1, 2}), view(d, {1, 2})}}, 0),
            true);
  EXPECT_EQ(pieces_agree(whole, {{view(d, {1, 2}), view(c, {1, 2})}, {view(b, {1, 2}), view(a, {1, 2})}}, 0),
            false);
}

/// Two context-parallel ranks: the first has the first and the last quarter of each sequence.
TEST(TensorPiecesTest, FoldedSequences_AreJoined) {
  const TensorPieces whole = {{view(matrix, {2, 4})}};
  const std::vector<float> outer = {1, 4, 5, 8}, inner = {2, 3, 6, 7};
  EXPECT_EQ(pieces_agree(whole, {{view(outer, {2, 2})}, {view(inner, {2, 2})}}, 0), true);
  EXPECT_EQ(pieces_agree(whole, {{view(inner, {2, 2})}, {view(outer, {2, 2})}}, 0), false);
}

TEST(TensorPiecesTest, GroupsOfFourRanks_AreJoined) {
  const TensorPieces whole = {{view(matrix, {2, 4})}};
  const std::vector<float> a = {1, 2}, b = {3, 4}, c = {5, 6}, d = {7, 8};
  EXPECT_EQ(
      pieces_agree(whole, {{view(a, {1, 2})}, {view(b, {1, 2})}, {view(c, {1, 2})}, {view(d, {1, 2})}}, 0),
      true);
}

TEST(TensorPiecesTest, Rounding_IsAllowedUpToItsBound) {
  std::vector<float> near = matrix;
  near[3] *= 1 + 1e-4F;
  const TensorPieces whole = {{view(matrix, {2, 4})}};
  EXPECT_EQ(pieces_agree(whole, {{view(near, {2, 4})}}, 1e-3), true);
  EXPECT_EQ(pieces_agree(whole, {{view(near, {2, 4})}}, 1e-6), false);
}

TEST(TensorPiecesTest, NanOrOtherShape_AgreesWithNothing) {
  std::vector<float> bad = matrix;
  bad[0] = std::nanf("");
  EXPECT_EQ(pieces_agree({{view(bad, {2, 4})}}, {{view(bad, {2, 4})}}, 1), false);
  EXPECT_EQ(pieces_agree({{view(matrix, {2, 4})}}, {{view(matrix, {4, 2})}}, 1), false);
}

TEST(TensorPiecesTest, EqualInfinities_AreAMask) {
  std::vector<float> masked = matrix;
  masked[1] = -std::numeric_limits<float>::infinity();
  const TensorPieces whole = {{view(masked, {2, 4})}};
  EXPECT_EQ(pieces_agree(whole, {{view(masked, {2, 4})}}, 1e-6), true);
  EXPECT_EQ(pieces_agree(whole, {{view(matrix, {2, 4})}}, 1e-6), false);
}

TEST(TensorPiecesTest, NoPiece_IsNoAnswer) {
  EXPECT_FALSE(pieces_agree({}, {{view(matrix, {2, 4})}}, 1));
  EXPECT_FALSE(pieces_agree({{view(matrix, {2, 4})}}, {{}}, 1));
}

TEST(TensorPiecesTest, Residues_AddModuloTheirPrime_AndAreEqualOrNot) {
  constexpr uint64_t prime = 13, unknown = ~uint64_t{0};
  const std::vector<uint64_t> whole = {3, 12, unknown, 0}, one = {5, 12, unknown, 9}, rest = {11, 0, 4, 4},
                              near = {3, 12, unknown, 1};
  const auto residues = [](const std::vector<uint64_t>& values) {
    return TensorView{DType::residue64, {4}, values.data()};
  };
  EXPECT_EQ(pieces_agree({{residues(whole)}}, {{residues(one)}, {residues(rest)}}, 1, prime), true);
  EXPECT_EQ(pieces_agree({{residues(whole)}}, {{residues(near)}}, 1, prime), false);
  EXPECT_EQ(pieces_agree({{residues(whole)}}, {{residues(one)}, {residues(rest)}}, 1, 11), false);
  EXPECT_EQ(pieces_agree({{residues(whole)}}, {{residues(whole)}}, 1, 0), false);
}

TEST(TensorPiecesTest, ResiduesAndValues_DoNotAgree) {
  const std::vector<uint64_t> residues = {1};
  const std::vector<int64_t> values = {1};
  EXPECT_EQ(pieces_agree({{{DType::residue64, {1}, residues.data()}}}, {{{DType::int64, {1}, values.data()}}},
                         1, 13),
            false);
}

}  // namespace
}  // namespace parity::bisect
