// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/layout.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

/// Ranks as dp_shard 2 x tp 2.
struct Mesh {
  explicit Mesh(const Group& world)
      : shard(world.subgroup("dp_shard", {world.rank() % 2, world.rank() % 2 + 2})),
        tp(world.subgroup("tp", world.rank() < 2 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{2, 3})) {
  }
  std::shared_ptr<Group> shard, tp;
};

class LayoutTest : public RanksTest {};

TEST_F(LayoutTest, TwoDimensionsSplittingSameRows_AreJoined) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          const Mesh mesh(world);
                          const torch::Tensor whole = torch::arange(14, torch::kFloat64).view({7, 2});
                          // Over tp rows 0-3 and 4-6, over dp_shard halves of these: 2 + 2, 2 + 1.
                          TensorLayout layout = sharded_over({}, whole, 0, "tp", *mesh.tp);
                          const torch::Tensor slice = part_of_logical(whole, layout);
                          layout = sharded_over(layout, slice, 0, "dp_shard", *mesh.shard);
                          const torch::Tensor part = part_of_logical(whole, layout);
                          const int64_t first = 4 * mesh.tp->rank() + 2 * mesh.shard->rank();
                          require(part.equal(whole.slice(0, first, std::min<int64_t>(first + 2, 7))),
                                  "another part");
                          require(layout.placements[0].mesh_dimension == "dp_shard", "order of the mesh");
                          require(layout.global_shape == std::vector<int64_t>({7, 2}), "global shape");
                          require(logical_tensor(part, layout, world).equal(whole), "not joined");
                        }),
              Each(""));
}

TEST_F(LayoutTest, ColumnsOverOneAndRowsOverTheOther) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          const Mesh mesh(world);
                          const torch::Tensor whole = torch::arange(15, torch::kFloat32).view({3, 5});
                          TensorLayout layout = sharded_over({}, whole, 1, "tp", *mesh.tp);
                          const torch::Tensor slice = part_of_logical(whole, layout);
                          layout = sharded_over(layout, slice, 0, "dp_shard", *mesh.shard);
                          const torch::Tensor part = part_of_logical(whole, layout);
                          require(part.size(0) == (mesh.shard->rank() == 0 ? 2 : 1), "rows");
                          require(part.size(1) == (mesh.tp->rank() == 0 ? 3 : 2), "columns");
                          require(logical_tensor(part, layout, world).equal(whole), "not joined");
                        }),
              Each(""));
}

TEST_F(LayoutTest, EveryBitComesThroughAndReplicasCountOnce) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          const Mesh mesh(world);
                          const torch::Tensor bits =
                              torch::tensor({int64_t{1} << 63, int64_t{0x7ff8000000000123}, int64_t{-1}});
                          const torch::Tensor whole = bits.view(torch::kFloat64);
                          TensorLayout layout = sharded_over({}, whole, 0, "dp_shard", *mesh.shard);
                          layout = replicated_over(layout, whole, "tp", *mesh.tp);
                          const torch::Tensor part = part_of_logical(whole, layout);
                          require(logical_tensor(part, layout, world).view(torch::kInt64).equal(bits),
                                  "other bits");
                        }),
              Each(""));
}

TEST_F(LayoutTest, ADimensionOfOneRankIsNotMentioned) {
  const auto one = Group::world({}, {});
  EXPECT_EQ(replicated_over({}, torch::zeros({2}), "dp_replicate", *one), TensorLayout());
  EXPECT_EQ(sharded_over({}, torch::zeros({2}), 0, "dp_shard", *one), TensorLayout());
}

}  // namespace
}  // namespace parity::reference
