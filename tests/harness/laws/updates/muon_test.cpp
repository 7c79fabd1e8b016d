// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// A matrix whose momentum follows Muon, and whose steps only change its sign.
class MuonLawTest : public LawTest {
 protected:
  /// \param share  of a gradient in the momentum: 1 - decay for an average
  static PlantedRun trained_by_muon(double decay, double share, const Json& optimizer) {
    PlantedRun run;
    run.config = {{"optimizer", optimizer}};
    std::vector<float> p(64), m(64);
    for (size_t i = 0; i < 64; ++i)
      p[i] = noise(0, 0, i);
    const Shape shape = {8, 8};
    run.tensors.push_back({{0, Phase::param, "w"}, p, shape});
    for (int64_t s = 1; s <= 3; ++s) {
      std::vector<float> g;
      for (size_t i = 0; i < 64; ++i) {
        g.push_back(noise(s, 0, i));
        m[i] = static_cast<float>(decay * m[i] + share * g[i]);
        p[i] -= m[i] > 0 ? 0.1F : -0.1F;
      }
      run.tensors.push_back({{s, Phase::grad_clipped, "w"}, g, shape});
      run.tensors.push_back({{s, Phase::optim, "momentum_buffer/w"}, m, shape});
      run.tensors.push_back({{s, Phase::param, "w"}, p, shape});
    }
    run.channels = {{"lr", std::vector<double>(3, 0.1)}};
    return run;
  }
  static Json muon(double momentum = 0.95) { return {{"name", "muon"}, {"muon", {{"momentum", momentum}}}}; }
};

TEST_F(MuonLawTest, Momentum_HoldsInEitherForm) {
  for (const double share : {0.05, 1.0}) {
    const Finding finding = ask(ask_update, trained_by_muon(0.95, share, muon()));
    EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
    EXPECT_EQ(finding.checked, 3);
    EXPECT_THAT(notes(finding), HasSubstr("of 1 matrices only the momentum is compared"));
  }
}

TEST_F(MuonLawTest, WithoutAConfig_IsNotTakenForSgd) {
  PlantedRun run = trained_by_muon(0.95, 0.05, muon());
  run.config = Json::object();
  const Finding finding = ask(ask_update, run);
  EXPECT_THAT(sentence(finding), testing::Not(HasSubstr("takes in")));
}

TEST_F(MuonLawTest, OtherMomentum_IsNamed) {
  EXPECT_THAT(sentence(ask(ask_update, trained_by_muon(0.9, 0.1, muon()))),
              HasSubstr("the momentum is 0.9 where 0.95 is recorded"));
  EXPECT_THAT(sentence(ask(ask_update, trained_by_muon(0.95, 2, muon()))),
              HasSubstr("the momentum takes in 40 times the recorded gradient"));
}

TEST_F(MuonLawTest, LeftOutMatrix_IsNamed) {
  PlantedRun run = trained_by_muon(0.95, 0.05, muon());
  tensor(run, 2, Phase::param, "w") = tensor(run, 1, Phase::param, "w");
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("w: left out: the parameter did not change"));
}

/// SGD with dampening has Muon's momentum. Its step is a multiple of it, so it is compared.
TEST_F(MuonLawTest, DampenedSgdWithoutAConfig_IsCompared) {
  PlantedRun run = trained_by_muon(0.9, 0.1, muon());
  run.config = Json::object();
  for (int64_t s = 1; s <= 3; ++s) {
    const std::vector<float> momentum = tensor(run, s, Phase::optim, "momentum_buffer/w");
    std::vector<float> moved = tensor(run, s - 1, Phase::param, "w");
    for (size_t i = 0; i < moved.size(); ++i)
      moved[i] -= 0.3F * momentum[i];
    tensor(run, s, Phase::param, "w") = moved;
  }
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
}

}  // namespace
}  // namespace parity::laws
