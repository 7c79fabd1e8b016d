// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/sharded_norm.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/optim/clip.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

Placement sharded(const std::string& dimension, int64_t coordinate, int64_t size, int64_t dim,
                  IndexRange rows) {
  return {dimension, coordinate, size, Shard{dim, {rows}}};
}

Placement replicated(const std::string& dimension, int64_t coordinate, int64_t size) {
  return {dimension, coordinate, size, Replicate{}};
}

Parameter with_gradient(const std::string& name, const torch::Tensor& gradient, TensorLayout layout) {
  Parameter parameter{name, torch::zeros_like(gradient).requires_grad_(), std::move(layout)};
  parameter.value.mutable_grad() = gradient;
  return parameter;
}

void expect_norm(double actual, double expected) {
  require(std::abs(actual - expected) <= 1e-14 * expected, fmt::format("{} and not {}", actual, expected));
}

class ShardedNormTest : public RanksTest {
 protected:
  /// Four ranks as dp_replicate 2 x dp_shard 2: a matrix [3, 2] of 1 .. 6 in rows (2, 1), a vector on all.
  static Parameters hybrid(const Group& world) {
    const int64_t copy = world.rank() / 2, part = world.rank() % 2;
    const IndexRange rows = part == 0 ? IndexRange{0, 2} : IndexRange{2, 3};
    const torch::Tensor whole = torch::arange(1, 7, torch::kFloat64).view({3, 2});
    return {
        with_gradient("matrix", whole.slice(0, rows.first, rows.end).clone(),
                      {{3, 2}, {replicated("dp_replicate", copy, 2), sharded("dp_shard", part, 2, 0, rows)}}),
        with_gradient("vector", torch::tensor({3.0, 4.0}, torch::kFloat64),
                      {{2}, {replicated("dp_replicate", copy, 2), replicated("dp_shard", part, 2)}}),
    };
  }
};

TEST_F(ShardedNormTest, CountsEachPartOnceAndEachReplicaOnce) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          const Parameters parameters = hybrid(world);
                          const torch::Tensor norm = sharded_gradient_norm(parameters, world);
                          expect_norm(norm.item<double>(), std::sqrt(1 + 4 + 9 + 16 + 25 + 36 + 9 + 16));
                          require(norm.scalar_type() == torch::kFloat64, "not the gradients' dtype");
                        }),
              Each(""));
}

TEST_F(ShardedNormTest, ARankThatHoldsNoRowTakesPart) {
  EXPECT_THAT(run_ranks(3,
                        [](Group& world) {
                          const int64_t first = std::min<int64_t>(world.rank(), 2);
                          const int64_t end = std::min<int64_t>(world.rank() + 1, 2);
                          const torch::Tensor whole = torch::tensor({3.0F, 4.0F});
                          const Parameters parameters = {
                              with_gradient("vector", whole.slice(0, first, end).clone(),
                                            {{2}, {sharded("dp_shard", world.rank(), 3, 0, {first, end})}})};
                          expect_norm(sharded_gradient_norm(parameters, world).item<float>(), 5);
                        }),
              Each(""));
}

TEST_F(ShardedNormTest, SumsOverPartsOfSeveralDimensions) {
  // dp_shard 2 x tp 2, rows over both: ranks hold a quarter each of the first, a half of the second over tp.
  EXPECT_THAT(
      run_ranks(
          4,
          [](Group& world) {
            const int64_t part = world.rank() / 2, slice = world.rank() % 2;
            const IndexRange row{2 * slice + part, 2 * slice + part + 1};
            const Parameters parameters = {
                {"rows",
                 torch::zeros({1}),
                 {{4},
                  {sharded("dp_shard", part, 2, 0, row),
                   sharded("tp", slice, 2, 0, {2 * slice, 2 * slice + 2})}}},
                {"columns",
                 torch::zeros({1}),
                 {{2}, {replicated("dp_shard", part, 2), sharded("tp", slice, 2, 0, {slice, slice + 1})}}}};
            const torch::Tensor mine =
                torch::tensor({1.0 + static_cast<double>(row.first), 10.0 * static_cast<double>(slice + 1)});
            const torch::Tensor sums = sum_over_parts(parameters, mine, world);
            expect_norm(sums[0].item<double>(), 1 + 2 + 3 + 4);
            expect_norm(sums[1].item<double>(), 10 + 20);
          }),
      Each(""));
}

TEST_F(ShardedNormTest, NoShards_NormHasBitsOfOneRankSendingNothing) {
  EXPECT_THAT(
      run_ranks(2,
                [](Group& world) {
                  torch::manual_seed(3);
                  Parameters parameters;
                  for (const int64_t size : {700, 33, 1})
                    parameters.push_back(with_gradient(
                        "x", torch::randn({size}), {{size}, {replicated("dp_replicate", world.rank(), 2)}}));
                  require(sharded_gradient_norm(parameters, world).equal(gradient_norm(parameters)),
                          "other bits");
                  require(world.collectives() == 0, "a collective");
                  world.barrier();  // both have met before one of them ends
                }),
      Each(""));
}

TEST_F(ShardedNormTest, AReplicaThatIsTakenForAPartIsSeen) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          Parameters parameters = hybrid(world);
                          const double right = sharded_gradient_norm(parameters, world).item<double>();
                          parameters[0].layout.placements[0] =
                              sharded("dp_replicate", world.rank() / 2, 2, 0, {0, 3});
                          const double wrong = sharded_gradient_norm(parameters, world).item<double>();
                          expect_norm(wrong * wrong - right * right, 1 + 4 + 9 + 16 + 25 + 36);
                        }),
              Each(""));
}

}  // namespace
}  // namespace parity::reference
