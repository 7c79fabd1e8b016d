// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Two ranks with a matrix: 3 and 2 of its rows are trained, 2 and 1 of its columns served.
#include <gmock/gmock.h>

#include "tests/reference/rl/weight_sync/served_model.hpp"

namespace parity::reference {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

/// The arguments of one rank that a test changes.
struct Arguments {
  ModelTensors trained = Parameters{}, served = Parameters{};
  PushMethod method = PushMethod::direct;
  torch::ScalarType dtype = torch::kBFloat16;
};

Parameter part(const std::string& name, const torch::Tensor& whole, int64_t dim, const Group& world) {
  const TensorLayout layout = sharded_over({}, whole, dim, "tp", world);
  return {name, part_of_logical(whole, layout), layout};
}

torch::Tensor matrix() {
  return torch::arange(15, torch::kFloat32).view({5, 3});
}

Arguments arguments(const Group& world) {
  Arguments all;
  all.trained.parameters = {part("w", matrix(), 0, world)};
  all.trained.buffers = {{"bias", torch::full({2}, 0.3, torch::kFloat32)}};
  all.served.parameters = {part("w", torch::zeros({5, 3}, torch::kBFloat16), 1, world)};
  all.served.buffers = {{"bias", torch::zeros({2}, torch::kFloat32)}};
  return all;
}

class ArgumentsTest : public RanksTest {
 protected:
  WeightSync make(const Arguments& all, Group& world) {
    return WeightSync(all.trained, all.served, held(world), all.method, all.dtype);
  }

  /// Returns the complaint of both ranks, which must be the same.
  /// \param change  of rank 1's arguments, or of both
  template <class Change>
  std::string refusal(const Change& change) {
    const auto complaints = run_ranks(2, [&](Group& world) {
      Arguments all = arguments(world);
      change(all, world);
      make(all, world);
    });
    EXPECT_EQ(complaints.at(0), complaints.at(1));
    return complaints.at(0);
  }
};

TEST_F(ArgumentsTest, AreServedAsTheyAre) {
  EXPECT_EQ(refusal([&](Arguments& all, Group& world) {
              WeightSync sync = make(all, world);
              sync.push(0);
              sync.pull(0);
              const Parameter& w = all.served.parameters[0];
              require(same_bits(w.value, part_of_logical(matrix().to(torch::kBFloat16), w.layout)), "w");
              require(same_bits(all.served.buffers[0].value, all.trained.buffers[0].value), "bias");
            }),
            "");
}

TEST_F(ArgumentsTest, RoundingIsThatOfACast) {
  EXPECT_EQ(refusal([&](Arguments& all, Group& world) {
              // Halves between two neighbours, up and down, one above, the largest, tiny ones, both zeros.
              const torch::Tensor odd =
                  torch::tensor({1.00390625F, 1.01171875F, 1.00390637F, -1.00390625F, 3.4028234e38F, 3.39e38F,
                                 1e-40F, -1e-45F, 0.0F, -0.0F, 0.1F, 1e-38F, -3.5e-41F, 65504.F, 16777217.F})
                      .view({5, 3});
              all.trained.parameters = {part("w", odd, 0, world)};
              for (const PushMethod method : {PushMethod::direct, PushMethod::gathered}) {
                all.method = method;
                torch::Tensor(all.served.parameters[0].value).zero_();
                WeightSync sync = make(all, world);
                sync.push(0);
                sync.pull(0);
                const Parameter& w = all.served.parameters[0];
                require(same_bits(w.value, part_of_logical(odd.to(torch::kBFloat16), w.layout)), "bits");
              }
            }),
            "");
}

TEST_F(ArgumentsTest, AGeneratorOfAnotherShapeIsNamedWithBothShapes) {
  EXPECT_THAT(
      refusal([](Arguments& all, Group& world) {
        all.served.parameters = {part("w", torch::zeros({5, 4}, torch::kBFloat16), 1, world),
                                 {"q_norm", torch::ones({7}, torch::kBFloat16)}};
      }),
      AllOf(StartsWith("the generator has another shape than the trained model ("),
            HasSubstr("w is (5, 4) where served on rank 0 and (5, 3) elsewhere"),
            HasSubstr("q_norm of shape (7) is only served"), HasSubstr("; build both from the same model")));
  EXPECT_THAT(refusal([](Arguments& all, Group&) { all.served.parameters.clear(); }),
              HasSubstr("w of shape (5, 3) is only trained"));
}

TEST_F(ArgumentsTest, AnotherDtypeIsNamedOnEveryRank) {
  EXPECT_THAT(refusal([](Arguments& all, Group& world) {
                if (world.rank() == 1)
                  all.served.parameters = {part("w", torch::zeros({5, 3}), 1, world)};
              }),
              StartsWith("w is float32 where served on rank 1 and bfloat16 where transferred ("));
  EXPECT_THAT(refusal([](Arguments& all, Group& world) {
                if (world.rank() == 1)
                  all.dtype = torch::kFloat32;
              }),
              StartsWith("rank 1 pushes with dtype \"float32\" and rank 0 with \"bfloat16\"; "));
  EXPECT_THAT(refusal([](Arguments& all, Group& world) {
                if (world.rank() == 1)
                  all.method = PushMethod::gathered;
              }),
              StartsWith("rank 1 pushes with method \"gathered\" and rank 0 with \"direct\"; "));
  EXPECT_THAT(refusal([](Arguments& all, Group&) {
                all.served.buffers[0].value = torch::zeros({2}, torch::kBFloat16);
              }),
              StartsWith("bias is bfloat16 where served on rank 0 and float32 where transferred ("));
}

TEST_F(ArgumentsTest, PartsThatNobodyTrainsAreNamed) {
  EXPECT_THAT(refusal([](Arguments& all, Group& world) {
                if (world.rank() == 1)
                  all.trained.parameters.clear();
              }),
              StartsWith("no rank trains [3:5, 0:2] of w, which is served"));
}

TEST_F(ArgumentsTest, ALayoutThatIsNoneOfItsTensorIsRefused) {
  EXPECT_THAT(refusal([](Arguments& all, Group& world) {
                if (world.rank() == 1)
                  all.trained.parameters[0].value = torch::zeros({3, 3});
              }),
              StartsWith("rank 1: w of shape (3, 3) is placed as (2, 3) in (5, 3); "));
  EXPECT_THAT(refusal([](Arguments& all, Group& world) {
                if (world.rank() == 1)
                  all.trained.parameters[0].layout.placements[0].kind = Partial{};
              }),
              StartsWith("rank 1: w of shape (2, 3) is placed as (5, 3), a term of a sum, in (5, 3); "));
  EXPECT_THAT(refusal([](Arguments& all, Group&) { all.served.buffers.push_back(all.served.buffers[0]); }),
              StartsWith("rank 0: bias is given twice; "));
}

TEST_F(ArgumentsTest, NothingMovesWhereEachRankTrainsWhatItServes) {
  EXPECT_EQ(refusal([&](Arguments& all, Group& world) {
              all.served.parameters = {part("w", torch::zeros({5, 3}, torch::kBFloat16), 0, world)};
              WeightSync sync = make(all, world);
              const PushResult pushed = sync.push(0);
              require(!world.traffic().contains("world all_to_all"), "something moved");
              require(pushed.bytes < 100, "more than the ranks' agreement");
            }),
            "");
}

TEST_F(ArgumentsTest, ARankGivesWhatTheOtherLacksAndNoMore) {
  EXPECT_EQ(refusal([&](Arguments& all, Group& world) {
              WeightSync sync = make(all, world);
              sync.push(0);
              // Rank 0 gives 3 rows of 1 column, rank 1 gives 2 rows of 2 columns; 2 bytes each.
              require(world.traffic().at("world all_to_all").bytes == (world.rank() == 0 ? 6 : 8), "bytes");
            }),
            "");
}

}  // namespace
}  // namespace parity::reference
