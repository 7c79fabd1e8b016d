// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/data/fsdp_unit.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

using Numbers = std::vector<float>;

void expect_unit(const torch::Tensor& x, const Numbers& numbers) {
  const torch::Tensor flat = x.detach().reshape({-1});
  std::string seen;
  for (int64_t i = 0; i < flat.numel(); ++i)
    seen += fmt::format(" {}", flat.const_data_ptr<float>()[i]);
  require(flat.equal(torch::tensor(numbers)), seen + " is not what was worked out by hand");
}

std::shared_ptr<const Group> alone() {
  return Group::world({}, {});
}

/// A matrix of 1 .. 6 in 3 rows, and a vector of 7 .. 10.
Parameters whole() {
  return {{"matrix", torch::arange(1, 7, torch::kFloat32).view({3, 2}).requires_grad_()},
          {"vector", torch::arange(7, 11, torch::kFloat32).requires_grad_()}};
}

void give_gradients(const Parameters& parameters, float factor) {
  for (const Parameter& parameter : parameters)
    torch::Tensor(parameter.value).mutable_grad() = parameter.value.detach() * factor;
}

class FsdpUnitTest : public RanksTest {};

TEST_F(FsdpUnitTest, EachRankHoldsItsRowsAndGathersThemAll) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const Parameters parameters = whole();
                          FsdpUnit unit("unit", parameters, {held(world), alone()});
                          require(parameters[0].value.storage().nbytes() == 0, "the whole is still there");
                          const bool first = world.rank() == 0;
                          expect_unit(unit.shards()[0].value, first ? Numbers{1, 2, 3, 4} : Numbers{5, 6});
                          expect_unit(unit.shards()[1].value, first ? Numbers{7, 8} : Numbers{9, 10});
                          unit.unshard();
                          expect_unit(parameters[0].value, {1, 2, 3, 4, 5, 6});
                          expect_unit(parameters[1].value, {7, 8, 9, 10});
                          require(unit.buffer_text() == "unit: 2 x 6 elements: matrix at 0, vector at 4",
                                  unit.buffer_text());
                        }),
              Each(""));
}

TEST_F(FsdpUnitTest, AThirdOfTwoRowsIsNone) {
  EXPECT_THAT(run_ranks(3,
                        [](Group& world) {
                          const Parameters parameters = {{"x", torch::tensor({1.0F, 2.0F}).requires_grad_()}};
                          FsdpUnit unit("unit", parameters, {held(world), alone()});
                          require(unit.shards()[0].value.numel() == (world.rank() < 2 ? 1 : 0), "rows");
                          unit.unshard();
                          expect_unit(parameters[0].value, {1, 2});
                          give_gradients(parameters, 1);
                          unit.after_backward(true);
                          expect_unit(unit.shards()[0].value.grad(),
                                      world.rank() < 2 ? Numbers{3.0F * static_cast<float>(world.rank() + 1)}
                                                       : Numbers{});
                        }),
              Each(""));
}

TEST_F(FsdpUnitTest, GradientsAreSummedOverBothDimensionsAndAddUp) {
  EXPECT_THAT(
      run_ranks(
          4,
          [](Group& world) {
            const auto shard = world.subgroup(
                "dp_shard", world.rank() < 2 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{2, 3});
            const auto replicate = world.subgroup("dp_replicate", {world.rank() % 2, world.rank() % 2 + 2});
            const Parameters parameters = whole();
            FsdpUnit unit("unit", parameters, {shard, replicate});
            for (int pass = 0; pass < 2; ++pass) {
              unit.unshard();
              give_gradients(parameters, static_cast<float>(world.rank() + 1));
              unit.after_backward(true);
            }
            // Factors 1 + 2 + 3 + 4, twice.
            const bool first = shard->rank() == 0;
            expect_unit(unit.shards()[0].value.grad(), first ? Numbers{20, 40, 60, 80} : Numbers{100, 120});
            expect_unit(unit.shards()[1].value.grad(), first ? Numbers{140, 160} : Numbers{180, 200});
            require(!parameters[0].value.grad().defined(), "the whole gradient is still there");
          }),
      Each(""));
}

TEST_F(FsdpUnitTest, GradientsThatWaitAreReducedOnceAndAveraged) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const Parameters parameters = whole();
                          FsdpUnit unit("unit", parameters,
                                        {held(world), alone(), GradientReduction::average});
                          unit.unshard();
                          give_gradients(parameters, 2);
                          unit.after_backward(false);
                          require(!unit.shards()[0].value.grad().defined(), "reduced too early");
                          unit.reduce();
                          expect_unit(unit.shards()[1].value.grad(),
                                      world.rank() == 0 ? Numbers{14, 16} : Numbers{18, 20});
                        }),
              Each(""));
}

TEST_F(FsdpUnitTest, AParameterWithoutAGradientTakesPartWithZeros) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const Parameters parameters = whole();
                          FsdpUnit unit("unit", parameters, {alone(), held(world)});
                          if (world.rank() == 0)
                            give_gradients(parameters, 1);
                          else
                            torch::Tensor(parameters[1].value).mutable_grad() = torch::ones({4});
                          unit.after_backward(true);
                          expect_unit(unit.shards()[0].value.grad(), {1, 2, 3, 4, 5, 6});
                          expect_unit(unit.shards()[1].value.grad(), {8, 9, 10, 11});
                        }),
              Each(""));
}

TEST_F(FsdpUnitTest, APolicyKeepsPartsInFloat32AndNothingElse) {
  EXPECT_THAT(
      run_ranks(2,
                [](Group& world) {
                  const Parameters parameters = whole();
                  FsdpUnit unit("unit", parameters,
                                {.shard = held(world), .replicate = alone(), .compute = torch::kBFloat16});
                  for (const Parameter& parameter : parameters)
                    require(parameter.value.storage().nbytes() == 0, parameter.name + " is still there");
                  for (const torch::Tensor& weight : unit.weights())
                    require(weight.storage().nbytes() == 0, "gathered before it is used");
                  expect_unit(unit.shards()[0].value,
                              world.rank() == 0 ? Numbers{1, 2, 3, 4} : Numbers{5, 6});
                  unit.unshard();
                  require(unit.weights()[0].scalar_type() == torch::kBFloat16, "another dtype");
                  expect_unit(unit.weights()[0].to(torch::kFloat32), {1, 2, 3, 4, 5, 6});
                }),
      Each(""));
}

TEST_F(FsdpUnitTest, ReplicasThatAreNotReducedAreSeen) {
  const auto complaints = run_ranks(2, [](Group& world) {
    const Parameters parameters = whole();
    FsdpUnit unit("unit", parameters, {alone(), alone()});
    give_gradients(parameters, static_cast<float>(world.rank() + 1));
    unit.after_backward(true);
    expect_unit(unit.shards()[1].value.grad(), {21, 24, 27, 30});
  });
  EXPECT_THAT(complaints, Each(testing::HasSubstr("is not what was worked out by hand")));
}

}  // namespace
}  // namespace parity::reference
