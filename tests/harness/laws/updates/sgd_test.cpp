// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "harness/tensor/conversions.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// SGD with momentum, computed in float32.
class SgdLawTest : public LawTest {
 protected:
  static PlantedRun trained_by_sgd(double momentum, double decay, bool nesterov = false) {
    PlantedRun run;
    run.config = {{"optimizer", {{"name", "sgd"}, {"momentum", momentum}, {"weight_decay", decay}}}};
    std::vector<float> p, b(64);
    for (size_t i = 0; i < 64; ++i)
      p.push_back(noise(0, 0, i));
    run.tensors.push_back({{0, Phase::param, "w"}, p});
    for (int64_t s = 1; s <= 3; ++s) {
      std::vector<float> g;
      for (size_t i = 0; i < 64; ++i) {
        g.push_back(noise(s, 0, i));
        const double x = g[i] + decay * p[i];
        b[i] = static_cast<float>(momentum * b[i] + x);
        p[i] = static_cast<float>(p[i] - 0.1 * (nesterov ? x + momentum * b[i] : b[i]));
      }
      run.tensors.push_back({{s, Phase::grad_clipped, "w"}, g});
      if (momentum != 0)
        run.tensors.push_back({{s, Phase::optim, "momentum_buffer/w"}, b});
      run.tensors.push_back({{s, Phase::param, "w"}, p});
    }
    run.channels = {{"lr", std::vector<double>(3, 0.1)}};
    return run;
  }
};

TEST_F(SgdLawTest, RightUpdates_Hold) {
  for (const double momentum : {0.0, 0.9})
    for (const double decay : {0.0, 0.1}) {
      const Finding finding = ask(ask_update, trained_by_sgd(momentum, decay));
      EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
    }
}

TEST_F(SgdLawTest, Nesterov_IsAConvention) {
  PlantedRun run = trained_by_sgd(0.9, 0, true);
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("Nesterov's momentum"));
  PlantedRun plain = trained_by_sgd(0.9, 0);
  tensor(run, 3, Phase::param, "w") = tensor(plain, 3, Phase::param, "w");
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
}

TEST_F(SgdLawTest, WeightsRoundedAfterwards_AreNamed) {
  PlantedRun run = trained_by_sgd(0.9, 0.1);
  for (float& value : tensor(run, 3, Phase::param, "w"))
    value = bfloat16_to_float(float_to_bfloat16(value));
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("after the update was rounded to bfloat16"));
}

TEST_F(SgdLawTest, OtherNumbers_AreNamed) {
  PlantedRun run = trained_by_sgd(0.9, 0.1);
  run.config["optimizer"]["momentum"] = 0.8;
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("the momentum is 0.9 where 0.8 is recorded"));
  run = trained_by_sgd(0, 0.1);
  run.config["optimizer"]["weight_decay"] = 0.2;
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("a weight decay of 0.1 where 0.2 is recorded"));
  run = trained_by_sgd(0, 0.1);
  for (double& rate : channel(run, "lr"))
    rate = 0.05;
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("a learning rate of 0.1, 2 times the 0.05"));
}

}  // namespace
}  // namespace parity::laws
