// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity coverage`: its options, and a trainer that answers for parity-train.
#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "tests/harness/cli/verbs/trainer_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class CoverageTest : public TrainerTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write_trainer(R"(answers = [{"problem": "" if "sgd" not in json.dumps(c) else "no sgd here",
             "ranks": 1, "model": {}} for c in configs])");
    write_case("arms", "[base]\nsteps = 2\n[arms.one]\n[arms.two]\nparallel.tp = 2\nloss.chunks = 2\n" +
                           no_golden() + losses_identical("one", "two"));
  }
  static std::string losses_identical(const std::string& one, const std::string& two) {
    return "[[checks]]\nchannel = \"loss\"\narms = [\"" + one + "\", \"" + two +
           "\"]\nrelation = \"identical\"\nbecause = \"x\"\n";
  }
};

TEST_F(CoverageTest, Json_HasTheStateOfEachPair) {
  const Outcome found = parity("coverage topic/arms --trainer ./trainer --json");
  ASSERT_EQ(found.status, 0) << found.err;
  const Json json = read_json(found.out);
  EXPECT_EQ(json.at("counts").at("covered"), 1);
  EXPECT_EQ(json.at("counts").at("not_run"), 2);  // clipping with the two that an arm has
  EXPECT_EQ(json.at("arms_run"), 0);
  EXPECT_GT(json.at("counts").at("refused"), 10);
}

TEST_F(CoverageTest, Feature_HasAnArmOrAReason) {
  const Outcome found = parity("coverage topic/arms --trainer ./trainer --feature tensor");
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("chunked_loss"));
  EXPECT_THAT(found.out, HasSubstr("topic/arms:two"));
  EXPECT_THAT(found.out, HasSubstr("no sgd here"));
}

TEST_F(CoverageTest, Missing_HasSettingsAndNoRefusedPair) {
  const Outcome found = parity("coverage topic/arms --trainer ./trainer --missing");
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("parallel.dp_shard=2"));
  EXPECT_THAT(found.out, Not(HasSubstr("sgd")));
}

TEST_F(CoverageTest, Html_HasTheMatrixOfTheSurvey) {
  const Outcome found = parity("coverage topic/arms --trainer ./trainer --html pairs.html");
  ASSERT_EQ(found.status, 0) << found.err;
  const std::string page = read_file(folder_ / "pairs.html");
  EXPECT_THAT(page, HasSubstr("1 of "));
  EXPECT_THAT(page, HasSubstr("chunked_loss with tensor: covered; topic/arms:two"));
  EXPECT_THAT(page, HasSubstr("no sgd here"));
  EXPECT_EQ(parity("coverage topic/arms --trainer ./trainer --html .").status, 2);
}

TEST_F(CoverageTest, CommandArms_AreLeftOut) {
  const Outcome found = parity("coverage --trainer ./trainer");
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("2 arms of other programs are left out"));
}

TEST_F(CoverageTest, UnknownFeature_IsBadUsage) {
  const Outcome found = parity("coverage topic/arms --trainer ./trainer --feature tensr");
  EXPECT_EQ(found.status, 2);
  EXPECT_THAT(found.err, HasSubstr("did you mean 'tensor'"));
}

TEST_F(CoverageTest, TrainerThatCannotCheck_IsMissing) {
  write_trainer("sys.exit(2)");
  const Outcome found = parity("coverage topic/arms --trainer ./trainer");
  EXPECT_EQ(found.status, 3);
  EXPECT_THAT(found.err, HasSubstr("cannot ask ./trainer which configs it accepts"));
}

TEST_F(CoverageTest, ShortAnswer_IsAnError) {
  write_trainer("answers = []");
  const Outcome found = parity("coverage topic/arms --trainer ./trainer");
  EXPECT_EQ(found.status, 2);
  EXPECT_THAT(found.err, HasSubstr("cannot use the answer"));
}

}  // namespace
}  // namespace parity::cli
