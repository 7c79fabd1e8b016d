// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/checks/weights_digest.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

struct Layout {
  int64_t dp_shard, tp, pp;
};

class SaveWeightsTest : public RanksTest {
 protected:
  const std::filesystem::path file = folder / "weights.safetensors";

  static RunConfig config_of(const Layout& layout) {
    RunConfig config = tiny_config();
    config.architecture.vocab_size = 41;  // which no rank count divides
    config.parallel.dp_shard = layout.dp_shard;
    config.parallel.tp = layout.tp;
    config.parallel.pp = layout.pp;
    return config;
  }

  static RunConfig experts() {
    RunConfig config = tiny_config();
    config.model = "qwen3.debug_moe_8";
    config.architecture.head_dim = 4;
    config.moe.hidden = 8;
    return config;
  }

  /// A trainer with other initial weights, which the file must all replace.
  static Trainer loaded(RunConfig config, const std::filesystem::path& path, std::shared_ptr<Group> world) {
    config.seed = 99;
    config.weights.path = path.string();
    return Trainer(config, std::move(world));
  }

  static void expect_same(const Parameters& a, const Parameters& b) {
    require(a.size() == b.size() && !a.empty(), "another number of weights");
    for (size_t i = 0; i < a.size(); ++i)
      require(a[i].value.equal(b[i].value), "other values of " + a[i].name);
  }
};

TEST_F(SaveWeightsTest, EachLayout_WritesBytesOfOneProcessAndLoads) {
  const std::filesystem::path expected = folder / "one.safetensors";
  ASSERT_THAT(
      run_ranks(
          1,
          [&](Group& world) {
            Trainer(config_of({1, 1, 1}), held(world)).save_weights(expected, WeightNames::hugging_face);
          }),
      Each(""));
  for (const Layout& layout : {Layout{2, 1, 1}, Layout{1, 2, 1}, Layout{1, 1, 2}, Layout{2, 2, 1}}) {
    EXPECT_THAT(run_ranks(layout.dp_shard * layout.tp * layout.pp,
                          [&](Group& world) {
                            const Trainer drawn(config_of(layout), held(world));
                            drawn.save_weights(file, WeightNames::hugging_face);
                            world.barrier();
                            require(read_file(file) == read_file(expected), "other bytes than one process");
                            const Trainer other = loaded(config_of(layout), file, held(world));
                            expect_same(other.parameters(), drawn.parameters());
                            world.barrier();  // the groups go when all have met in them
                          }),
                Each(""));
  }
}

TEST_F(SaveWeightsTest, ExpertsOfTwoRanksAreSavedAndLoadedAsOfOne) {
  const std::filesystem::path expected = folder / "one.safetensors";
  ASSERT_THAT(run_ranks(1,
                        [&](Group& world) {
                          Trainer(experts(), held(world)).save_weights(expected, WeightNames::hugging_face);
                        }),
              Each(""));
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          RunConfig config = experts();
                          config.parallel.dp_shard = config.parallel.ep = 2;
                          const Trainer drawn(config, held(world));
                          drawn.save_weights(file, WeightNames::hugging_face);
                          world.barrier();
                          require(read_file(file) == read_file(expected), "other bytes than one process");
                          const Trainer other = loaded(config, file, held(world));
                          expect_same(other.parameters(), drawn.parameters());
                          world.barrier();  // the groups go when all have met in them
                        }),
              Each(""));
}

TEST_F(SaveWeightsTest, ATrainedModelGoesOnFromItsFileAsFromMemory) {
  EXPECT_THAT(run_ranks(1,
                        [&](Group& world) {
                          for (const RunConfig& config : {config_of({1, 1, 1}), experts()}) {
                            Trainer trainer(config, held(world));
                            trainer.step();
                            trainer.step();
                            trainer.save_weights(file, WeightNames::torchtitan_2026);
                            Trainer other = loaded(config, file, held(world));
                            expect_same(other.parameters(), trainer.parameters());
                            require(other.evaluate() == trainer.evaluate(), "another loss");
                          }
                        }),
              Each(""));
}

TEST_F(SaveWeightsTest, BiasesOfRoutersComeToo) {
  EXPECT_THAT(run_ranks(1,
                        [&](Group& world) {
                          Trainer trainer(experts(), held(world));
                          trainer.step();
                          trainer.step();
                          require(trainer.router_biases().at(0).value.abs().sum().item<double>() > 0,
                                  "no bias has moved");
                          trainer.save_weights(file, WeightNames::torchtitan);
                          expect_same(loaded(experts(), file, held(world)).router_biases(),
                                      trainer.router_biases());
                        }),
              Each(""));
}

/// Each rank reads on its own, so parts of two models could otherwise train together.
TEST_F(SaveWeightsTest, RanksThatReadOtherFilesSaySo) {
  const auto complaints = run_ranks(2, [&](Group& world) {
    const std::filesystem::path own = folder / (std::to_string(world.rank()) + ".safetensors");
    RunConfig config = config_of({1, 1, 1});
    config.seed = world.rank();
    Trainer(config).save_weights(own, WeightNames::torchtitan);
    config = config_of({2, 1, 1});
    config.weights.path = own.string();
    Trainer(config, held(world));
  });
  EXPECT_THAT(complaints,
              Each(testing::AllOf(testing::StartsWith("rank 1 has other initial weights than rank 0"),
                                  testing::HasSubstr("weights.path"))));
}

TEST(WeightsDigestTest, KnowsBiasesThatAreNotZero) {
  RunConfig config = tiny_config();
  config.model = "qwen3.debug_moe_8";
  config.moe.hidden = 8;
  Decoder model(dimensions_of(config), torch::kFloat32);
  initialize(model, 1);
  const std::string drawn = weights_digest(model);
  torch::Tensor(model.router_biases().back().value)[3] = 1e-3;
  EXPECT_NE(weights_digest(model), drawn);
}

}  // namespace
}  // namespace parity::reference
