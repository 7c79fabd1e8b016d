// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// A matrix whose singular vectors are rows of Hadamard's matrix and unit vectors, so that every gradient,
/// momentum and step is its singular values alone. Newton-Schulz is then a polynomial of eight numbers.
constexpr size_t columns = 8;
using Singular = std::array<double, columns>;

double hadamard(size_t row, size_t column) {
  return (std::popcount(row & column) % 2 == 0 ? 1 : -1) / std::sqrt(8.0);
}

Singular orthogonalized(const Singular& given, int steps = 5) {
  double squares = 0;
  for (const double value : given)
    squares += value * value;
  Singular x = given;
  for (double& value : x) {
    value /= std::sqrt(squares);
    for (int i = 0; i < steps; ++i)
      value = 3.4445 * value - 4.7750 * std::pow(value, 3) + 2.0315 * std::pow(value, 5);
  }
  return x;
}

/// What a trainer computes, which a test changes.
struct MuonTraining {
  size_t rows = 8;  ///< those above 8 are zero
  double momentum = 0.95;
  double share = 0.05;  ///< of a gradient in the momentum
  double lr = 0.1, decay = 0;
  std::function<Singular(const Singular& gradient, const Singular& momentum)> input = [](const Singular& g,
                                                                                         const Singular& m) {
    Singular u;
    for (size_t i = 0; i < columns; ++i)
      u[i] = 0.05 * g[i] + 0.95 * m[i];
    return u;
  };
  double factor = 1;
  int steps = 5;
  Json config = {{"optimizer", {{"name", "muon"}, {"muon", {{"momentum", 0.95}, {"nesterov", true}}}}}};
};

class MuonLawTest : public LawTest {
 protected:
  static std::vector<float> matrix(const Singular& singular, size_t rows) {
    std::vector<float> values(rows * columns);
    for (size_t r = 0; r < 8; ++r)
      for (size_t c = 0; c < columns; ++c)
        values[r * columns + c] = static_cast<float>(hadamard(r, c) * singular[c]);
    return values;
  }
  static Singular gradient_of(int64_t step) {
    Singular values;
    for (size_t i = 0; i < columns; ++i)
      values[i] = 1.5 + noise(step, 0, i);
    return values;
  }

  static PlantedRun trained(const MuonTraining& t) {
    PlantedRun run;
    run.config = t.config;
    const Shape shape = {static_cast<int64_t>(t.rows), columns};
    std::vector<double> p;
    for (size_t i = 0; i < t.rows * columns; ++i)
      p.push_back(noise(0, 0, i));
    const auto add_parameter = [&](int64_t step) {
      run.tensors.push_back({{step, Phase::param, "w"}, std::vector<float>(p.begin(), p.end()), shape});
    };
    add_parameter(0);
    Singular m = {};
    for (int64_t s = 1; s <= 3; ++s) {
      const Singular g = gradient_of(s);
      for (size_t i = 0; i < columns; ++i)
        m[i] = t.momentum * m[i] + t.share * g[i];
      const std::vector<float> move = matrix(orthogonalized(t.input(g, m), t.steps), t.rows);
      for (size_t i = 0; i < p.size(); ++i)
        p[i] = p[i] * (1 - t.lr * t.decay) - t.lr * t.factor * move[i];
      run.tensors.push_back({{s, Phase::grad_clipped, "w"}, matrix(g, t.rows), shape});
      run.tensors.push_back({{s, Phase::optim, "momentum_buffer/w"}, matrix(m, t.rows), shape});
      add_parameter(s);
    }
    run.channels = {{"lr", std::vector<double>(3, 0.1)}};
    return run;
  }

  Finding asked(const MuonTraining& t) { return ask(ask_update, trained(t)); }
  static Json muon(const Json& more) {
    Json config = MuonTraining().config;
    config["optimizer"]["muon"].update(more);
    return config;
  }
};

TEST_F(MuonLawTest, Momentum_HoldsInEitherForm) {
  MuonTraining sum{.share = 1};
  sum.input = [](const Singular& g, const Singular& m) {
    Singular u;
    for (size_t i = 0; i < columns; ++i)
      u[i] = g[i] + 0.95 * m[i];
    return u;
  };
  for (const MuonTraining& t : {MuonTraining(), sum}) {
    const Finding finding = asked(t);
    EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
    EXPECT_EQ(finding.checked, 6);
    EXPECT_THAT(notes(finding), HasSubstr("the steps of 1 matrices are Nesterov's momentum, 5 steps"));
  }
}

TEST_F(MuonLawTest, WithoutAConfig_IsNotTakenForSgd) {
  const Finding finding = asked({.config = Json::object()});
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("Muon: the steps of 1 matrices"));
}

TEST_F(MuonLawTest, OtherMomentum_IsNamed) {
  EXPECT_THAT(sentence(asked({.momentum = 0.9, .share = 0.1})),
              HasSubstr("the momentum is 0.9 where 0.95 is recorded"));
  EXPECT_THAT(sentence(asked({.share = 2})),
              HasSubstr("the momentum takes in 40 times the recorded gradient"));
}

TEST_F(MuonLawTest, LeftOutMatrix_IsNamed) {
  PlantedRun run = trained(MuonTraining());
  tensor(run, 2, Phase::param, "w") = tensor(run, 1, Phase::param, "w");
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("w: left out: the parameter did not change"));
}

TEST_F(MuonLawTest, StepOfAnotherSize_IsNamed) {
  const Finding finding = asked({.factor = 5});
  EXPECT_THAT(sentence(finding), HasSubstr("w: the step is 5 times that of Newton-Schulz"));
  EXPECT_EQ(finding.departures.front().step, 1);
  EXPECT_NEAR(finding.departures.front().factor.value(), 5, 1e-3);
  EXPECT_THAT(sentence(asked({.factor = 1.01})), HasSubstr("the step is 1.01 times"));
}

TEST_F(MuonLawTest, MissingFactor_IsNamed) {
  for (const double factor : {2.0, 0.8 * std::sqrt(2), 1.0})
    EXPECT_EQ(asked({.rows = 32, .factor = factor}).answer(), Answer::holds) << factor;
  EXPECT_THAT(sentence(asked({.rows = 32, .config = muon({{"adjust_lr", "original"}})})),
              HasSubstr("the step lacks the factor sqrt(max(1, rows / columns))"));
  EXPECT_EQ(asked({.rows = 32, .factor = 2, .config = muon({{"adjust_lr", "original"}})}).answer(),
            Answer::holds);
}

TEST_F(MuonLawTest, WeightDecay_IsCompared) {
  Json config = MuonTraining().config;
  config["optimizer"]["weight_decay"] = 0.1;
  EXPECT_EQ(asked({.decay = 0.1, .config = config}).answer(), Answer::holds);
  EXPECT_THAT(sentence(asked({.config = config})),
              HasSubstr("the parameter is updated without the weight decay 0.1"));
  EXPECT_THAT(sentence(asked({.decay = 0.05, .config = config})),
              HasSubstr("with a weight decay of 0.05 where 0.1 is recorded"));
}

TEST_F(MuonLawTest, OtherInput_IsNamed) {
  MuonTraining t;
  t.input = [](const Singular& g, const Singular&) { return g; };
  const Finding finding = asked(t);
  EXPECT_THAT(sentence(finding), HasSubstr("orthogonalizes the gradient where Nesterov's momentum is due"));
  EXPECT_EQ(finding.departures.front().step, 2);  // the first momentum is a multiple of the gradient
  t.input = [](const Singular&, const Singular& m) { return m; };
  EXPECT_THAT(sentence(asked(t)), HasSubstr("orthogonalizes the momentum without Nesterov's"));
  t.config = muon({{"nesterov", false}});
  EXPECT_EQ(asked(t).answer(), Answer::holds);
}

TEST_F(MuonLawTest, StepsOfNewtonSchulz_AreCountedIfRecorded) {
  MuonTraining t{.steps = 4};
  EXPECT_THAT(notes(asked(t)), HasSubstr("4 steps of Newton-Schulz"));
  t.config = muon({{"ns_steps", 5}, {"a", 3.4445}, {"b", -4.7750}, {"c", 2.0315}});
  EXPECT_THAT(sentence(asked(t)), HasSubstr("4 steps of Newton-Schulz are taken where 5 are recorded"));
}

TEST_F(MuonLawTest, LearningRateOfItsOwn_CountsForMatrices) {
  PlantedRun run = trained(MuonTraining());
  run.channels["muon_lr"] = std::vector<double>(3, 0.1);
  channel(run, "lr") = std::vector<double>(3, 0.003);
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds);
}

TEST_F(MuonLawTest, ZeroRateAndZeroMomentum_MoveNothing) {
  PlantedRun run = trained(MuonTraining());
  channel(run, "lr")[1] = 0;
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("the parameter moves at a learning rate of 0"));
  run = trained(MuonTraining());
  scale(tensor(run, 1, Phase::grad_clipped, "w"), 0);
  scale(tensor(run, 1, Phase::optim, "momentum_buffer/w"), 0);
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("the parameter moves, though its momentum is 0"));
}

TEST_F(MuonLawTest, NotANumber_Departs) {
  for (const Phase phase : {Phase::param, Phase::grad_clipped}) {
    PlantedRun run = trained(MuonTraining());
    tensor(run, 2, phase, "w")[5] = NAN;
    EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
  }
}

TEST_F(MuonLawTest, StepBelowRounding_IsNotCompared) {
  PlantedRun run = trained(MuonTraining());
  for (int64_t s = 1; s <= 3; ++s)
    tensor(run, s, Phase::param, "w") = tensor(run, 0, Phase::param, "w");
  channel(run, "lr") = std::vector<double>(3, 1e-8);
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 3);  // the momentum
  EXPECT_THAT(notes(finding), HasSubstr("of 1 matrices only the momentum is compared"));
}

/// SGD with dampening has Muon's momentum. Its step is a multiple of it, so it is compared.
TEST_F(MuonLawTest, DampenedSgdWithoutAConfig_IsCompared) {
  PlantedRun run = trained({.momentum = 0.9, .share = 0.1, .config = Json::object()});
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
