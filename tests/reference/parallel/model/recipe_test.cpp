// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Low-precision recipes over ranks, bit for bit beside one process.
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/model/recipe_linear.hpp"
#include "reference/parallel/model/expert_parallel.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

constexpr std::array recipes = {LinearRecipe::float8_tensor, LinearRecipe::float8_row,
                                LinearRecipe::float8_block, LinearRecipe::mxfp8, LinearRecipe::nvfp4};

class RecipesOverRanksTest : public RanksTest {};

torch::Tensor drawn(at::IntArrayRef sizes, uint64_t seed) {
  torch::manual_seed(seed);
  return torch::randn(sizes);
}

/// A layer of four experts, whole and over two ranks, and tokens that the ranks send to them. Ranks have
/// different numbers of tokens for an expert, one of them none, and blocks of 128 end within an expert.
struct ExpertsOverRanks {
  static constexpr int64_t D = 160, F = 144;
  using Counts = std::vector<int64_t>;
  const std::array<Counts, 2> counts = {Counts{150, 0, 7, 40}, Counts{33, 0, 120, 1}};

  /// Returns the rows of all ranks by expert and then by rank.
  torch::Tensor by_expert(const std::array<torch::Tensor, 2>& of_rank) const {
    std::vector<torch::Tensor> rows;
    for (size_t e = 0; e < 4; ++e)
      for (size_t r = 0; r < 2; ++r)
        rows.push_back(of_rank.at(r).split_with_sizes(counts.at(r))[e]);
    return at::cat(rows);
  }

  void compare(const LinearConfig& config, const GroupPointer& ranks) const {
    RunConfig run = tiny_config();
    run.model = "llama4.debug";
    run.architecture.dim = D;
    run.moe = {.experts = 4, .top_k = 2, .hidden = F, .shared_hidden = 8, .every = 1};
    Decoder model(dimensions_of(run), torch::kFloat32);
    initialize(model, 3);
    const Parameters parameters = model.parameters();
    const auto copy = [](const torch::Tensor& x) { return x.detach().clone().requires_grad_(); };
    const Experts& made = model.mixtures()[0]->experts;
    const Experts whole = {copy(made.w1), copy(made.w2), copy(made.w3)};
    apply_expert_parallel(model, parameters, ranks, {{"dp_shard", ranks->rank(), ranks->size()}});
    multiply_by_recipe(model, parameters, config, /*rounds=*/true);
    const ModuleHooks::Operators& operators = model.hooks().operators();
    const Experts& own = model.mixtures()[0]->experts;

    std::array<torch::Tensor, 2> x, dy;
    for (size_t r = 0; r < 2; ++r) {
      x.at(r) = drawn({c10::sum_integers(counts.at(r)), D}, 10 + r);
      dy.at(r) = drawn(x.at(r).sizes(), 20 + r);
    }
    const auto rank = static_cast<size_t>(ranks->rank());
    const torch::Tensor mine = x.at(rank).clone().requires_grad_(), all = by_expert(x).requires_grad_();
    const torch::Tensor y = model.moe_pass().dispatch(mine, counts.at(rank),
                                                      [&](const torch::Tensor& x_ND, const Counts& tokens) {
                                                        return own.forward(x_ND, tokens, operators);
                                                      });
    const torch::Tensor y_all = whole.forward(all, {183, 0, 127, 41}, operators);
    y.backward(dy.at(rank));
    y_all.backward(by_expert(dy));
    std::array<torch::Tensor, 2> placed, placed_gradient;
    for (size_t r = 0; r < 2; ++r) {
      placed.at(r) = r == rank ? y.detach() : torch::full_like(x.at(r), 7);
      placed_gradient.at(r) = r == rank ? mine.grad() : torch::full_like(x.at(r), 7);
    }
    const torch::Tensor is_other = by_expert(placed).eq(7);
    const auto same = [&](const torch::Tensor& a, const torch::Tensor& b) {
      return torch::equal(a.masked_fill(is_other, 0), b.masked_fill(is_other, 0));
    };
    const std::string name(name_of(config.recipe));
    require(same(by_expert(placed), y_all.detach()), name + ": other results");
    require(same(by_expert(placed_gradient), all.grad()), name + ": another gradient of tokens");
    for (const auto& [a, b] : {std::pair(own.w1, whole.w1), {own.w2, whole.w2}, {own.w3, whole.w3}}) {
      require(torch::equal(a.grad(), b.grad().chunk(2)[rank]), name + ": another gradient of experts");
      require(rank == 1 || a.grad()[1].eq(0).all().item<bool>(), name + ": a gradient without tokens");
    }
    const Experts unrounded = {whole.w1.detach(), whole.w2.detach(), whole.w3.detach()};
    require(!torch::equal(unrounded.forward(all.detach(), {183, 0, 127, 41}), y_all), name + ": no recipe");
  }
};

TEST_F(RecipesOverRanksTest, Experts_HaveTheBitsOfAllOnOneRank) {
  for (const LinearRecipe recipe : recipes)
    EXPECT_THAT(run_ranks(2,
                          [&](Group& world) {
                            ExpertsOverRanks().compare({.recipe = recipe}, held(world));
                            world.barrier();
                          }),
                Each(""));
}

constexpr int64_t N = 256, K = 512, T = 96;  // blocks of 128 fit two ranks

MatrixShards shards_over(SharedDimension dimension, const GroupPointer& ranks) {
  return {dimension, [ranks](const torch::Tensor& amax) { ranks->all_reduce(amax, Reduction::max); }};
}

int64_t dim_of(SharedDimension dimension) {
  return dimension == SharedDimension::rows ? 0 : 1;
}

/// Returns this rank's shard of a matrix that two ranks share.
torch::Tensor shard_of(const torch::Tensor& whole, SharedDimension dimension, const Group& ranks) {
  return dimension == SharedDimension::none ? whole : whole.chunk(2, dim_of(dimension))[ranks.rank()];
}

/// Numbers whose magnitudes differ by rows and columns, so that ranks would have other scales.
torch::Tensor uneven(int64_t rows, int64_t columns, uint64_t seed) {
  return drawn({rows, columns}, seed) * drawn({rows, 1}, seed + 1).exp() *
         drawn({1, columns}, seed + 2).exp();
}

TEST_F(RecipesOverRanksTest, Shards_HaveTheValuesOfTheWholeMatrix) {
  const auto compare = [](const GroupPointer& ranks, const torch::Tensor& x, const LinearConfig& config) {
    for (const LinearOperand operand : {LinearOperand::input, LinearOperand::weight, LinearOperand::gradient})
      for (const SharedDimension dimension : {SharedDimension::rows, SharedDimension::columns}) {
        const torch::Tensor whole = quantised(x, quantisation_of(config, operand));
        const torch::Tensor own = quantised(shard_of(x, dimension, *ranks),
                                            quantisation_of(config, operand, shards_over(dimension, ranks)));
        const torch::Tensor expected = shard_of(whole, dimension, *ranks);
        require(torch::equal(own.nan_to_num(-1), expected.nan_to_num(-1)) &&
                    torch::equal(own.isnan(), expected.isnan()),
                fmt::format("{}: operand {}, dimension {}", name_of(config.recipe), static_cast<int>(operand),
                            static_cast<int>(dimension)));
      }
  };
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          torch::Tensor x = uneven(N, K, 1), bad = x.clone(), infinite = x.clone();
                          bad[3][5] = NAN;
                          infinite[N - 1][K - 1] = std::numeric_limits<float>::infinity();
                          for (const LinearRecipe recipe : recipes)
                            for (const torch::Tensor& some : {x, bad, infinite})
                              compare(held(world), some, {.recipe = recipe});
                          world.barrier();
                        }),
              Each(""));
}

/// One linear layer whose weight two ranks share, beside the whole layer.
struct LinearOverRanks {
  LinearConfig config;
  SharedDimension dimension = SharedDimension::rows;
  GroupPointer ranks;
  double most = 0;  ///< largest difference, in units of what other orders of sums may cause

  /// \param size  sums of the products' magnitudes, each over n terms
  void compare(const torch::Tensor& own, const torch::Tensor& whole, const torch::Tensor& size, int64_t n) {
    const double roundings =
        4.0 * static_cast<double>(n) * 0x1p-24;  // of two sums; operands grow at most twice
    most = std::max(most, ((own - whole).abs() / (size * roundings)).max().item<double>());
  }

  void run() {
    const bool has_rows = dimension == SharedDimension::rows;
    const SharedDimension of_x = has_rows ? SharedDimension::none : dimension;
    const SharedDimension of_y = has_rows ? SharedDimension::columns : SharedDimension::none;
    const torch::Tensor x = uneven(T, K, 1).requires_grad_(), weight = uneven(N, K, 4).requires_grad_();
    const torch::Tensor dy = uneven(T, N, 7), size_y = at::linear(x.abs(), weight.abs()).detach();
    const torch::Tensor y = recipe_linear(x, weight, {}, config);
    const auto whole = torch::autograd::grad({y}, {x, weight}, {dy});

    const auto own_shard = [&](const torch::Tensor& t, SharedDimension shared) {
      return shard_of(t.detach(), shared, *ranks).clone(at::MemoryFormat::Contiguous);
    };
    const torch::Tensor own_x = own_shard(x, of_x).requires_grad_();
    const torch::Tensor own_weight = own_shard(weight, dimension).requires_grad_();
    torch::Tensor own_y =
        recipe_linear(own_x, own_weight, {}, config, /*rounds=*/true, shards_over(dimension, ranks));
    auto own = torch::autograd::grad({own_y}, {own_x, own_weight}, {own_shard(dy, of_y)});
    own_y = own_y.detach();
    ranks->all_reduce(has_rows ? own[0] : own_y);  // terms of the ranks
    compare(own_y, shard_of(y.detach(), of_y, *ranks), shard_of(size_y, of_y, *ranks), K);
    compare(own[0], shard_of(whole[0], of_x, *ranks),
            shard_of(dy.abs().mm(weight.detach().abs()), of_x, *ranks), N);
    compare(own[1], shard_of(whole[1], dimension, *ranks),
            shard_of(dy.abs().t().mm(x.detach().abs()), dimension, *ranks), T);
  }
};

TEST_F(RecipesOverRanksTest, Linear_DiffersFromTheWholeByTheOrderOfSums) {
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          for (const LinearRecipe recipe : recipes)
                            for (const auto dimension : {SharedDimension::rows, SharedDimension::columns}) {
                              LinearOverRanks layer = {{.recipe = recipe}, dimension, held(world)};
                              layer.run();
                              require(layer.most <= 1, fmt::format("{}: {}", name_of(recipe), layer.most));
                            }
                          world.barrier();
                        }),
              Each(""));
}

TEST_F(RecipesOverRanksTest, ScalesOfShards_AreAnotherRecipe) {
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          for (const auto recipe :
                               {LinearRecipe::float8_tensor, LinearRecipe::float8_row, LinearRecipe::nvfp4})
                            for (const auto dimension : {SharedDimension::rows, SharedDimension::columns}) {
                              LinearOverRanks layer = {{.recipe = recipe, .tp_scales = ShardScales::shard},
                                                       dimension,
                                                       held(world)};
                              layer.run();
                              require(layer.most > 1, fmt::format("{}: the same", name_of(recipe)));
                            }
                          world.barrier();
                        }),
              Each(""));
}

TEST_F(RecipesOverRanksTest, Twin_IsTheProductOverRanks) {
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          const torch::Tensor x = uneven(N, K, 1).to(torch::kFloat64);
                          for (const LinearRecipe recipe : recipes)
                            for (const auto dimension : {SharedDimension::rows, SharedDimension::columns}) {
                              const torch::Tensor own = shard_of(x, dimension, world);
                              Quantisation how = quantisation_of({.recipe = recipe}, LinearOperand::input,
                                                                 shards_over(dimension, held(world)));
                              how.rounds = false;
                              require(torch::equal(quantised(own, how), own), "a twin rounds");
                            }
                          world.barrier();
                        }),
              Each(""));
}

}  // namespace
}  // namespace parity::reference
