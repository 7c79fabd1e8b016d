// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/collectives.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/parallel/core/parts.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class CollectivesTest : public RanksTest {
 protected:
  using Map = std::function<torch::Tensor(const torch::Tensor&)>;

  /// Two ranks; the 4 x 4 tensor counts from 0, rank 1's is 100 more where each has its own.
  std::vector<std::string> on_two_ranks(const std::function<void(const GroupPointer&)>& body) {
    return run_ranks(2, [&](Group& world) { body(held(world)); });
  }

  static torch::Tensor whole() { return torch::arange(16, torch::kFloat64).view({4, 4}); }
  static torch::Tensor own(const GroupPointer& ranks) { return whole() + 100 * ranks->rank(); }
  static torch::Tensor left(const torch::Tensor& x) { return x.narrow(1, 0, 2); }
  static torch::Tensor right(const torch::Tensor& x) { return x.narrow(1, 2, 2); }
  static torch::Tensor part(const torch::Tensor& x, const GroupPointer& ranks) {
    return ranks->rank() == 0 ? left(x) : right(x);
  }

  /// Demands that `map` takes x to y and, going back, dy to dx.
  static void expect(const Map& map, const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& dy,
                     const torch::Tensor& dx) {
    const torch::Tensor leaf = x.clone().requires_grad_();
    const torch::Tensor result = map(leaf);
    require(result.equal(y), "another result");
    result.backward(dy);
    require(leaf.grad().equal(dx), "another gradient");
    require(x.equal(leaf), "the input was written to");
  }
};

TEST_F(CollectivesTest, EnteringIsTheIdentityAndSumsGradients) {
  EXPECT_THAT(on_two_ranks([](const GroupPointer& ranks) {
                expect([&](const torch::Tensor& x) { return enter_ranks(x, ranks); }, whole(), whole(),
                       own(ranks), whole() + whole() + 100);
              }),
              Each(""));
}

TEST_F(CollectivesTest, ASumGivesEachRankTheGradientOfTheSum) {
  EXPECT_THAT(on_two_ranks([](const GroupPointer& ranks) {
                expect([&](const torch::Tensor& x) { return sum_over_ranks(x, ranks); }, own(ranks),
                       whole() + whole() + 100, whole(), whole());
              }),
              Each(""));
}

TEST_F(CollectivesTest, SplittingJoinsTheGradientsOfTheParts) {
  EXPECT_THAT(on_two_ranks([](const GroupPointer& ranks) {
                expect([&](const torch::Tensor& x) { return split(x, 1, ranks); }, whole(),
                       part(whole(), ranks), part(-whole(), ranks), -whole());
              }),
              Each(""));
}

TEST_F(CollectivesTest, Gather_BackwardTakesShardOfOneOrSummedGrad) {
  EXPECT_THAT(on_two_ranks([](const GroupPointer& ranks) {
                expect([&](const torch::Tensor& x) { return gather(x, 1, 4, ranks); }, part(whole(), ranks),
                       whole(), -whole(), part(-whole(), ranks));
                expect([&](const torch::Tensor& x) { return gather_for_ranks(x, 1, 4, ranks); },
                       part(whole(), ranks), whole(), own(ranks), part(whole() + whole() + 100, ranks));
              }),
              Each(""));
}

TEST_F(CollectivesTest, ReduceScatterJoinsTheGradientsOfTheParts) {
  EXPECT_THAT(on_two_ranks([](const GroupPointer& ranks) {
                expect([&](const torch::Tensor& x) { return reduce_scatter(x, 1, ranks); }, own(ranks),
                       part(whole() + whole() + 100, ranks), part(-whole(), ranks), -whole());
              }),
              Each(""));
}

TEST_F(CollectivesTest, AWrongBackwardWouldBeSeen) {
  EXPECT_THAT(on_two_ranks([](const GroupPointer& ranks) {
                expect([&](const torch::Tensor& x) { return gather(x, 1, 4, ranks); }, part(whole(), ranks),
                       whole(), own(ranks), part(whole() + whole() + 100, ranks));
              }),
              Each(HasSubstr("another gradient")));
}

/// <A x, y> = <x, A' y>, summed over ranks where each has its own, for every dimension and for lengths that
/// three ranks do not divide, down to ranks without any.
TEST_F(CollectivesTest, BackwardIsTheTransposedMapForPartsOfAnyLength) {
  const auto all = [](const Group& ranks, const torch::Tensor& x) {
    torch::Tensor sum = x.sum().view({1});
    ranks.all_reduce(sum);
    return sum.item<double>();
  };
  EXPECT_THAT(
      run_ranks(3,
                [&](Group& world) {
                  const GroupPointer ranks = held(world);
                  at::manual_seed(7 + world.rank());
                  for (const int64_t dim : {0, 1, 2})
                    for (const int64_t count : {1, 2, 4, 6, 7}) {
                      std::vector<int64_t> shape = {2, 3, 2};
                      shape[static_cast<size_t>(dim)] = count;
                      const torch::Tensor x = at::randint(-9, 9, shape, torch::kFloat64).requires_grad_();
                      const torch::Tensor part = reduce_scatter(x, dim, ranks);
                      const torch::Tensor y = at::randint(-9, 9, part.sizes(), torch::kFloat64);
                      part.backward(y);
                      require(all(world, part * y) == all(world, x * x.grad()), "not transposed");
                      const torch::Tensor some = part.detach().requires_grad_();
                      const torch::Tensor joined = gather_for_ranks(some, dim, count, ranks);
                      const torch::Tensor z = at::randint(-9, 9, joined.sizes(), torch::kFloat64);
                      joined.backward(z);
                      require(all(world, joined * z) == all(world, some * some.grad()),
                              "not transposed back");
                      require(split(joined, dim, ranks).equal(some), "split is not the reverse of gather");
                    }
                }),
      Each(""));
}

TEST_F(CollectivesTest, ALostPeerIsToldFromBackward) {
  const std::vector<std::string> complaints = run_ranks(
      2,
      [](Group& world) {
        const torch::Tensor x = torch::ones({2}).requires_grad_();
        const torch::Tensor y = enter_ranks(x, held(world));
        world.barrier();  // both have met
        if (world.rank() == 1)
          ::_exit(0);
        try {
          y.sum().backward();
        } catch (const PeerLost& error) {
          throw UserError(error.what());
        }
      },
      std::chrono::seconds(5));
  EXPECT_THAT(complaints[0], HasSubstr("all_reduce over world as rank 0 of 2, did not end"));
}

TEST(PartsTest, AreOfTheRoundedUpLengthUntilNothingIsLeft) {
  EXPECT_EQ(part_of(6, 3, 1), (IndexRange{2, 4}));
  EXPECT_EQ(part_of(7, 3, 0), (IndexRange{0, 3}));
  EXPECT_EQ(part_of(7, 3, 2), (IndexRange{6, 7}));
  EXPECT_EQ(part_of(4, 3, 2), (IndexRange{4, 4})) << "2 + 2 + 0";
  EXPECT_EQ(part_of(1, 4, 3), (IndexRange{1, 1}));
  EXPECT_EQ(part_of(5, 1, 0), (IndexRange{0, 5}));
}

}  // namespace
}  // namespace parity::reference
