// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/float8_weights.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

class Float8WeightsTest : public RanksTest {
 protected:
  static std::vector<double> losses(const RunConfig& config, std::shared_ptr<Group> world) {
    Trainer trainer(config, std::move(world));
    std::vector<double> result;
    for (int i = 0; i < 4; ++i)
      result.push_back(trainer.step().loss);
    return result;
  }

  /// Returns the result of rank 0, for every layout.
  std::vector<double> trained(const RunConfig& config) {
    const std::filesystem::path file = folder / "losses.json";
    for (const std::string& complaint : run_ranks(config.parallel.ranks(), [&](Group& world) {
           const std::vector<double> own = losses(config, held(world));
           if (world.rank() == 0)
             write_file(file, Json(own).dump());
         }))
      EXPECT_EQ(complaint, "");
    return Json::parse(read_file(file)).get<std::vector<double>>();
  }

  static RunConfig config_of(Float8Scales scales) {
    RunConfig config = tiny_config();
    config.lr.base = 0.05;  // so that scales move
    config.train.float8 = scales;
    return config;
  }
};

TEST_F(Float8WeightsTest, RoundsToFourDigitsAtTheScale) {
  const torch::Tensor x = torch::tensor({0.0F, 1.0F, 1.0625F, -448.0F, 500.0F, 0.001F});
  const torch::Tensor rounded = rounded_to_float8(x, torch::tensor(1.0F));
  const torch::Tensor expected = torch::tensor({0.0F, 1.0F, 1.0F, -448.0F, 448.0F, 0.0F});
  EXPECT_TRUE(torch::equal(rounded.slice(0, 0, 5), expected.slice(0, 0, 5))) << rounded;
  EXPECT_NEAR(rounded[5].item<double>(), 0.001953125 / 2, 1e-3);
  EXPECT_EQ(rounded_to_float8(torch::tensor({3.0F}), torch::tensor(448.0F / 3)).item<float>(), 3.0F)
      << "the largest element keeps its value";
}

TEST_F(Float8WeightsTest, ScalesAfterUpdate_AreThoseOfTheNextForward) {
  for (const auto& change : std::vector<std::function<void(RunConfig&)>>{
           [](RunConfig&) {}, [](RunConfig& c) { c.parallel.dp_shard = 2; },
           [](RunConfig& c) { c.parallel.tp = 2; }, [](RunConfig& c) { c.parallel.pp = 2; }}) {
    RunConfig each = config_of(Float8Scales::each_forward), after = config_of(Float8Scales::after_update);
    change(each);
    change(after);
    EXPECT_EQ(trained(each), trained(after));
  }
}

TEST_F(Float8WeightsTest, AHookThatIsForgottenLeavesStaleScales) {
  const std::vector<double> fresh = trained(config_of(Float8Scales::after_update));
  const std::vector<double> stale = trained(config_of(Float8Scales::first));
  EXPECT_EQ(fresh[0], stale[0]);
  EXPECT_NE(fresh[3], stale[3]);
}

TEST_F(Float8WeightsTest, ChangesWhatIsComputedAndStillTrains) {
  const std::vector<double> rounded = trained(config_of(Float8Scales::each_forward));
  EXPECT_NE(rounded[0], trained(config_of(Float8Scales::none))[0]);
  EXPECT_LT(rounded[3], rounded[0]);
}

TEST_F(Float8WeightsTest, Twin_RoundsNothing) {
  RunConfig twin = config_of(Float8Scales::each_forward), plain = config_of(Float8Scales::none);
  twin.dtype = plain.dtype = Precision::float64;
  EXPECT_EQ(trained(twin), trained(plain));
  twin.train.float8 = Float8Scales::after_update;
  EXPECT_EQ(trained(twin), trained(plain));
}

TEST_F(Float8WeightsTest, TwinOfStaleScales_CutsWeightsThatOutgrewThem) {
  RunConfig twin = config_of(Float8Scales::first), plain = config_of(Float8Scales::none);
  twin.dtype = plain.dtype = Precision::float64;
  const std::vector<double> cut = trained(twin), whole = trained(plain);
  EXPECT_EQ(cut[0], whole[0]);
  EXPECT_GT(std::abs(cut[3] - whole[3]), 1e-6);
}

}  // namespace
}  // namespace parity::reference
