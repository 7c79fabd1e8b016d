// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"

#include <set>

#include "harness/base/error.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LawTableTest : public LawTest {
 protected:
  static void drop_at(PlantedRun& run, int64_t step, Phase phase) {
    std::erase_if(run.tensors, [&](const PlantedTensor& each) {
      return each.key.step == step && each.key.phase == phase;
    });
  }
  std::vector<int64_t> updates(const char* law, const PlantedRun& run) {
    return updates_with_tensors(law_of(law), *write("run", run));
  }
};

TEST_F(LawTableTest, EachLawHasANameOfItsOwn) {
  const std::vector<std::string> names = law_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), all_laws().size());
  EXPECT_EQ(law_of("clip").name, "clip");
  EXPECT_THROW(static_cast<void>(law_of("clop")), UserError);
}

/// What a table names for programs is enough: with exactly these tensors a law can be asked.
TEST_F(LawTableTest, NamedTensorsAreEnough) {
  for (const char* law : {"grad_norm", "clip", "update"}) {
    PlantedRun run = trained();
    std::erase_if(run.tensors, [&](const PlantedTensor& each) {
      return std::ranges::none_of(law_of(law).tensors, [&](const LawTensors& wanted) {
        return wanted.phase == each.key.phase && (each.key.step > 0 || wanted.before);
      });
    });
    const Finding finding = ask(law_of(law).ask, run);
    EXPECT_EQ(finding.answer(), Answer::holds) << law << ": " << finding.why;
  }
}

TEST_F(LawTableTest, UpdatesHoldWhatALawReads) {
  PlantedRun run = trained();
  EXPECT_THAT(updates("update", run), ElementsAre(1, 2, 3, 4));
  drop_at(run, 2, Phase::grad_clipped);
  EXPECT_THAT(updates("clip", run), ElementsAre(1, 3, 4));
  EXPECT_THAT(updates("update", run), ElementsAre(1, 3, 4));
  EXPECT_THAT(updates("grad_norm", run), ElementsAre(1, 2, 3, 4));
  drop_at(run, 3, Phase::param);
  EXPECT_THAT(updates("update", run), ElementsAre(1));
}

TEST_F(LawTableTest, TensorsRecordedNowhereDoNotCount) {
  PlantedRun run = trained();
  drop(run, Phase::optim);
  EXPECT_THAT(updates("update", run), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(updates("schedule", run), ElementsAre(1, 2, 3, 4));
}

TEST_F(LawTableTest, StatisticsAreNotValues) {
  PlantedRun run = trained();
  run.whole = false;
  EXPECT_THAT(updates("grad_norm", run), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::not_asked);
}

TEST(DepartureTest, TextNamesTheStepOnce) {
  EXPECT_EQ((Departure{"w: scaled", 3, "", {}, {}}.text()), "w: scaled (step 3)");
  EXPECT_EQ((Departure{"lr is 0 at update 3", 3, "", {}, {}}.text()), "lr is 0 at update 3");
  EXPECT_EQ((Departure{"w: scaled", {}, "", {}, {}}.text()), "w: scaled");
}

}  // namespace
}  // namespace parity::laws
