// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Any sharding of a tensor into any other: run with vectors, every rank ends with its shard.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/error.hpp"
#include "harness/tensor/part.hpp"
#include "reference/rl/weight_sync/transfer_plan.hpp"

namespace parity::reference {
namespace {

/// A shard for each rank. Rank r is at r % a, r / a % b of a x b coordinates; the ranks after these are
/// replicas.
std::vector<std::optional<PartCover>> drawn_parts(const Shape& shape, int64_t ranks) {
  const auto a = *rc::gen::inRange<int64_t>(1, ranks + 1), b = *rc::gen::inRange<int64_t>(1, ranks / a + 1);
  const std::vector<int64_t> coordinates = {a, b};
  std::vector<std::optional<PartCover>> parts(static_cast<size_t>(ranks), PartCover{});
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const auto owners = *rc::gen::container<std::vector<int64_t>>(
        static_cast<size_t>(shape[dim]), rc::gen::inRange<int64_t>(0, coordinates[dim]));
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const int64_t own = dim == 0 ? rank % a : rank / a % b;
      std::vector<int64_t> indices;
      for (int64_t i = 0; i < shape[dim]; ++i)
        if (owners[static_cast<size_t>(i)] == own)
          indices.push_back(i);
      parts[static_cast<size_t>(rank)]->ranges.push_back(ranges_of(indices));
    }
  }
  return parts;
}

/// Flat indices in the logical tensor [rows, columns] of a part's elements, in its order.
std::vector<int64_t> elements_of(const PartCover& part, int64_t columns) {
  std::vector<int64_t> elements;
  for (const IndexRange& rows : part.ranges[0])
    for (int64_t row = rows.first; row < rows.end; ++row)
      for (const IndexRange& range : part.ranges[1])
        for (int64_t column = range.first; column < range.end; ++column)
          elements.push_back(row * columns + column);
  return elements;
}

void copy(const std::vector<int64_t>& from, const PartCover& held, std::vector<int64_t>& to,
          const PartCover& needed, const Box& box) {
  const Box a = *place_in(held, box), b = *place_in(needed, box);
  const int64_t width_a = shape_of(held)[1], width_b = shape_of(needed)[1];
  for (int64_t row = 0; row < a[0].end - a[0].first; ++row)
    for (int64_t column = 0; column < a[1].end - a[1].first; ++column)
      to[static_cast<size_t>((b[0].first + row) * width_b + b[1].first + column)] =
          from[static_cast<size_t>((a[0].first + row) * width_a + a[1].first + column)];
}

SpreadTensor drawn_tensor(int64_t ranks) {
  SpreadTensor tensor = {.name = "w",
                         .shape = {*rc::gen::inRange<int64_t>(1, 8), *rc::gen::inRange<int64_t>(1, 8)}};
  tensor.held = drawn_parts(tensor.shape, ranks);
  tensor.needed = drawn_parts(tensor.shape, ranks);
  return tensor;
}

RC_GTEST_PROP(TransferPlanProperty, EveryRankEndsWithItsPart, ()) {
  const auto ranks = *rc::gen::inRange<int64_t>(1, 6);
  const SpreadTensor tensor = drawn_tensor(ranks);
  const std::vector<Piece> pieces = plan_pieces({tensor}, *rc::gen::inRange<int64_t>(4, 100));
  for (int64_t rank = 0; rank < ranks; ++rank) {
    check_pieces({tensor}, pieces, rank);
    const PartCover& needed = *tensor.needed[static_cast<size_t>(rank)];
    const std::vector<int64_t> expected = elements_of(needed, tensor.shape[1]);
    std::vector<int64_t> got(expected.size(), -1);
    for (const Piece& piece : pieces)
      if (piece.to == rank) {
        const PartCover& held = *tensor.held[static_cast<size_t>(piece.from)];
        copy(elements_of(held, tensor.shape[1]), held, got, needed, piece.box);
      }
    RC_ASSERT(got == expected);
  }
}

RC_GTEST_PROP(TransferPlanProperty, ARegionThatIsOffByOneIsNoticed, ()) {
  const auto ranks = *rc::gen::inRange<int64_t>(1, 6);
  const SpreadTensor tensor = drawn_tensor(ranks);
  std::vector<Piece> pieces = plan_pieces({tensor}, 1000);
  RC_PRE(!pieces.empty());
  Piece& piece = pieces[*rc::gen::inRange<size_t>(0, pieces.size())];
  IndexRange& range = piece.box[*rc::gen::inRange<size_t>(0, 2)];
  (*rc::gen::arbitrary<bool>() ? range.first : range.end) += *rc::gen::element(-1, 1);
  RC_ASSERT_THROWS_AS(check_pieces({tensor}, pieces, piece.to), InternalError);
}

}  // namespace
}  // namespace parity::reference
