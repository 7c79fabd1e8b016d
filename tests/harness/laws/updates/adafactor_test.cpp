// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// What an invented run of Adafactor computes.
struct Settings {
  double lr = 0.05, decay = 0.1, beta2_decay = -0.8, eps1 = 0x1p-23, eps2 = 1e-3, d = 1;
  bool adds_eps1 = false, scales = true, clips = true;
  double factor = 1;           ///< of the step
  double gradient_factor = 1;  ///< of the gradient that enters the moments
};

/// Two experts of 4 x 8 and a vector, trained by Adafactor in float32.
class AdafactorLawTest : public LawTest {
 protected:
  static constexpr size_t rows = 4, columns = 8, count = 64;

  struct Moments {
    std::vector<float> row = std::vector<float>(2 * rows), column = std::vector<float>(2 * columns);
    std::vector<float> element = std::vector<float>(count);
  };

  static double rms(const auto& values) {
    double squares = 0;
    for (const double value : values)
      squares += value * value;
    return std::sqrt(squares / static_cast<double>(values.size()));
  }

  static void follow(float& moment, double square, double share) {
    moment = static_cast<float>(moment + share * (square - moment));
  }

  /// Advances the moments. \return the square of what divides each element
  static std::vector<double> divisors(const Settings& s, const std::vector<float>& g, double share,
                                      bool is_matrix, Moments& m) {
    std::vector<double> squares, row(m.row.size()), column(m.column.size()), v;
    for (const float each : g)
      squares.push_back(std::pow(each * s.gradient_factor, 2) + (s.adds_eps1 ? s.eps1 : 0));
    for (size_t i = 0; i < count; ++i) {
      row[i / columns] += squares[i] / columns;
      column[i / (rows * columns) * columns + i % columns] += squares[i] / rows;
      if (!is_matrix)
        follow(m.element[i], squares[i], share);
    }
    for (size_t r = 0; r < row.size(); ++r)
      follow(m.row[r], row[r], share);
    for (size_t c = 0; c < column.size(); ++c)
      follow(m.column[c], column[c], share);
    for (size_t i = 0; i < count; ++i) {
      const size_t expert = i / (rows * columns);
      double mean = 0;
      for (size_t r = 0; r < rows; ++r)
        mean += m.row[expert * rows + r] / static_cast<double>(rows);
      const double factored = static_cast<double>(m.row[i / columns]) *
                              m.column[expert * columns + i % columns] / std::max(mean, s.eps1);
      v.push_back(is_matrix ? factored : m.element[i]);
    }
    return v;
  }

  static PlantedRun trained_by_adafactor(const Settings& s) {
    PlantedRun run;
    run.config = {{"optimizer", {{"name", "adafactor"}, {"weight_decay", 0.1}}}};
    for (const bool is_matrix : {true, false}) {
      const std::string name = is_matrix ? "experts" : "norm";
      const Shape shape = is_matrix ? Shape{2, rows, columns} : Shape{count};
      const auto tensor = [&](int64_t step, Phase phase, const std::string& of,
                              const std::vector<float>& values, const Shape& own) {
        run.tensors.push_back({{step, phase, of + name}, values, own});
      };
      Moments moments;
      std::vector<float> p(count);
      for (size_t i = 0; i < count; ++i)
        p[i] = noise(0, is_matrix, i);
      tensor(0, Phase::param, "", p, shape);
      for (int64_t t = 1; t <= 3; ++t) {
        std::vector<float> g(count);
        for (size_t i = 0; i < count; ++i)
          g[i] = noise(t, is_matrix, i) / 16;
        const double share = std::pow(static_cast<double>(t), s.beta2_decay);
        std::vector<double> u = divisors(s, g, share, is_matrix, moments);
        for (size_t i = 0; i < count; ++i)
          u[i] = g[i] / std::sqrt(u[i]);
        const double divisor = s.clips ? std::max(1.0, rms(u) / s.d) : 1;
        const double step = s.factor * s.lr * (s.scales ? std::max(s.eps2, rms(p)) : 1) / divisor;
        for (size_t i = 0; i < count; ++i)
          p[i] = static_cast<float>(p[i] * (1 - s.lr * s.decay) - step * u[i]);
        tensor(t, Phase::grad_clipped, "", g, shape);
        if (is_matrix) {
          tensor(t, Phase::optim, "row_var/", moments.row, {2, rows, 1});
          tensor(t, Phase::optim, "col_var/", moments.column, {2, 1, columns});
        } else {
          tensor(t, Phase::optim, "variance/", moments.element, shape);
        }
        tensor(t, Phase::param, "", p, shape);
      }
    }
    run.channels = {{"lr", std::vector<double>(3, 0.05)}};
    return run;
  }
  std::string departure(const Settings& settings) {
    return sentence(ask(ask_update, trained_by_adafactor(settings)));
  }
};

TEST_F(AdafactorLawTest, MomentsAndStep_Hold) {
  const Finding finding = ask(ask_update, trained_by_adafactor({}));
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 3 * (3 + 2));
  EXPECT_THAT(notes(finding), HasSubstr("Adafactor, with moments of rows and columns"));
}

TEST_F(AdafactorLawTest, SettingsOfTheConfig_Hold) {
  PlantedRun run = trained_by_adafactor({.beta2_decay = -0.5, .eps2 = 2, .d = 0.25});
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
  run.config["optimizer"]["adafactor"] = {{"beta2_decay", -0.5}, {"eps2", 2.0}, {"d", 0.25}};
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
}

TEST_F(AdafactorLawTest, EpsAddedToTheSquare_Holds) {
  PlantedRun run = trained_by_adafactor({.eps1 = 1e-3, .adds_eps1 = true});
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
  run.config["optimizer"]["adafactor"] = {{"eps1", 1e-3}, {"eps1_place", "square"}};
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
}

TEST_F(AdafactorLawTest, OtherFormulas_AreNamed) {
  EXPECT_THAT(departure({.decay = 0}), HasSubstr("without the weight decay 0.1"));
  EXPECT_THAT(departure({.scales = false}),
              HasSubstr("is not scaled by the root mean square of the parameter"));
  EXPECT_THAT(departure({.clips = false}), HasSubstr("is not scaled down to the root mean square 1"));
  EXPECT_THAT(departure({.factor = 0.5}), HasSubstr("the step is 0.5 times that of the formula"));
  EXPECT_THAT(departure({.gradient_factor = 2}), HasSubstr("_var: 2 times the recorded gradient enters"));
}

TEST_F(AdafactorLawTest, OtherBeta_IsNamed) {
  PlantedRun run = trained_by_adafactor({.beta2_decay = -0.5});
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.departures.front().step, 2) << "at update 1 beta2 is 0 with any decay";
  EXPECT_THAT(sentence(finding), HasSubstr("beta2 is 0.29289 where 0.42565 follows from update 2"));
}

TEST_F(AdafactorLawTest, TensorLeftOut_IsNamed) {
  PlantedRun run = trained_by_adafactor({});
  tensor(run, 2, Phase::param, "norm") = tensor(run, 1, Phase::param, "norm");
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("norm: left out"));
}

TEST_F(AdafactorLawTest, OneElementOrNan_Departs) {
  for (const float wrong : {1.5F, std::nanf("")})
    for (const auto& [phase, name] :
         {std::pair(Phase::param, "experts"), std::pair(Phase::optim, "col_var/experts"),
          std::pair(Phase::optim, "variance/norm")}) {
      PlantedRun run = trained_by_adafactor({});
      tensor(run, 3, phase, name)[5] = wrong;
      EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs) << name;
    }
}

TEST_F(AdafactorLawTest, WithoutRowsOrGradient_IsNotAskedOfTheMatrix) {
  PlantedRun run = trained_by_adafactor({});
  std::erase_if(run.tensors, [](const PlantedTensor& each) { return each.key.name == "row_var/experts"; });
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.checked, 3 * 2);
  EXPECT_THAT(notes(finding), HasSubstr("not compared, for their optimizer is not known: experts"));
}

}  // namespace
}  // namespace parity::laws
