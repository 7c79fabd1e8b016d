// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

class GeneratorLawTest : public LawTest {
 protected:
  using Numbers = std::vector<double>;

  /// A run of three updates at lr 0.01, whose generator always has the trainer's version.
  static PlantedRun billed() {
    PlantedRun run;
    for (const char* zero : {"version_lag", "gap_weights", "gap.layers.0", "gap.layers.1"})
      run.channels[zero] = Numbers{0, 0, 0};
    run.channels["lr"] = Numbers{0.01, 0.01, 0.01};
    run.channels["gap"] = Numbers{1e-7, 2e-7, 1e-7};
    return run;
  }
};

TEST_F(GeneratorLawTest, EqualWeights_Hold) {
  const Finding finding = ask(ask_generator, billed());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 3);
}

TEST_F(GeneratorLawTest, StaleWeight_IsNamedWithItsPart) {
  PlantedRun run = billed();
  run.channels["gap_weights"] = Numbers{0, 0.003, 0.006};
  run.channels["gap.layers.1"] = Numbers{0, 0.003, 0.006};
  run.channels["gap"] = Numbers{1e-7, 0.0031, 0.0061};
  const Finding finding = ask(ask_generator, run);
  ASSERT_EQ(finding.departures.size(), 1U);
  EXPECT_EQ(finding.departures[0].step, 2);
  EXPECT_EQ(finding.departures[0].tensor, "layers.1");
  EXPECT_THAT(sentence(finding), HasSubstr("other weights of layers.1 at update 2"));
  EXPECT_THAT(sentence(finding), HasSubstr("0.003 nats; the whole gap is 0.0031"));
}

TEST_F(GeneratorLawTest, OlderVersion_IsNotJudged) {
  PlantedRun run = billed();
  run.channels["version_lag"] = Numbers{0, 1, 1};
  run.channels["gap_weights"] = Numbers{0, 0.003, 0.003};
  const Finding finding = ask(ask_generator, run);
  EXPECT_EQ(finding.answer(), Answer::holds);
  EXPECT_EQ(finding.checked, 1);
  EXPECT_THAT(notes(finding), HasSubstr("2 updates learn from an older version"));
}

TEST_F(GeneratorLawTest, AtRateZero_AGapOfWeightsDeparts) {
  PlantedRun run = billed();
  run.channels["lr"] = Numbers{0, 0, 0};
  run.channels["version_lag"] = Numbers{0, 1, 2};
  EXPECT_EQ(ask(ask_generator, run).checked, 3);
  run.channels["gap_weights"] = Numbers{0, 0, 1e-9};
  EXPECT_THAT(sentence(ask(ask_generator, run)), HasSubstr("although lr was 0 at every update before"));
}

TEST_F(GeneratorLawTest, Nan_Departs) {
  PlantedRun run = billed();
  run.channels["gap_weights"] = Numbers{0, std::nan(""), 0};
  run.channels["gap.layers.0"] = Numbers{0, std::nan(""), 0};
  EXPECT_EQ(ask(ask_generator, run).answer(), Answer::departs);
  EXPECT_THAT(sentence(ask(ask_generator, run)), HasSubstr("layers.0"));
}

TEST_F(GeneratorLawTest, WithoutABill_IsNotAsked) {
  PlantedRun run = billed();
  run.channels.erase("gap_weights");
  const Finding finding = ask(ask_generator, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_THAT(finding.why, HasSubstr("not billed"));
  run = billed();
  run.channels.erase("version_lag");
  EXPECT_EQ(ask(ask_generator, run).checked, 1) << "it does not say how old tokens are; the first are new";
}

}  // namespace
}  // namespace parity::laws
