// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/autocast.hpp"

#include <gmock/gmock.h>

#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using AutocastTest = RanksTest;

RunConfig asking_for_it() {
  RunConfig config;
  config.train.autocast = true;
  return config;
}

TEST_F(AutocastTest, Autocast_MatrixProductsUse16BitsNormsDoNot) {
  EXPECT_THAT(run_ranks(1,
                        [](Group&) {
                          const torch::Tensor x = torch::ones({2, 4}), weight = torch::ones({3, 4});
                          const auto dtype_of_product = [&] { return at::linear(x, weight).scalar_type(); };
                          {
                            const Autocast off(false);
                            require(dtype_of_product() == torch::kFloat32, "autocast that is off");
                          }
                          {
                            const Autocast on(true);
                            require(dtype_of_product() == torch::kBFloat16, "a product under autocast");
                            require(at::rms_norm(x, {4}).scalar_type() == torch::kFloat32, "a norm under it");
                          }
                          require(dtype_of_product() == torch::kFloat32, "autocast that has ended");
                        }),
              Each(""));
}

TEST_F(AutocastTest, Parallelism_IgnoresAutocastWithAWarning) {
  RunConfig config = asking_for_it();
  EXPECT_TRUE(autocasts(config));
  EXPECT_THAT(autocast_warnings(config), IsEmpty());
  config.parallel.dp_replicate = 2;
  EXPECT_TRUE(autocasts(config));
  config.parallel.tp = 2;
  EXPECT_FALSE(autocasts(config));
  EXPECT_THAT(autocast_warnings(config), ElementsAre(HasSubstr("train.autocast has no effect (tensor")));
  config.parallel.dp_shard = 2;
  EXPECT_THAT(autocast_warnings(config), ElementsAre(HasSubstr("FSDP casts by its own policy")));
  config.train.autocast = false;
  EXPECT_THAT(autocast_warnings(config), IsEmpty());
}

TEST_F(AutocastTest, AFloat64TwinHasNone) {
  RunConfig config = asking_for_it();
  config.dtype = Precision::float64;
  EXPECT_FALSE(autocasts(config));
  EXPECT_THAT(autocast_warnings(config), IsEmpty());
}

}  // namespace
}  // namespace parity::reference
