// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include <gmock/gmock.h>

#include "harness/golden/golden_file.hpp"
#include "harness/suite/goldens/stored_power.hpp"
#include "tests/harness/cli/program_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Goldens from the view of a reviewer of changes.
class GoldensTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write_case("golden", copying_arm("x", "a") + copying_arm("y", "a") + losses_identical());
    ASSERT_EQ(parity("golden record topic/golden").status, 0);
  }
  /// Both arms train differently from now on.
  void change_values(double value = 6.5) const {
    std::vector<double> other = falling_losses();
    other[5] = value;
    write_trace("a", other);
  }
  std::string bytes() const { return read_file(file()); }
  fs::path file() const { return folder_ / "golden/topic/golden.h5"; }
  std::string state() const {
    const Json all = Json::parse(parity("list --json").out);
    for (const Json& item : all.at("cases"))
      if (item.at("name") == "topic/golden")
        return item.at("golden");
    return "not listed";
  }
  /// Returns printed text with one space in place of each line break and its indent.
  static std::string words_of(const std::string& text) {
    return std::regex_replace(text, std::regex("\\s+"), " ");
  }
  void git(const std::string& words) const {
    const Outcome outcome = shell("git -c user.name=t -c user.email=t@example.org " + words);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  void commit_all() const {
    git("init -q .");
    git("add -A");
    git("commit -qm first");
  }
};

TEST_F(GoldensTest, ChangedValues_NeedAReasonThatIsKept) {
  const std::string before = bytes();
  change_values();
  const Outcome refused = parity("golden record topic/golden");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out,
              AllOf(HasSubstr("differs from this run"), HasSubstr("6.75"), HasSubstr("--reason")));
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(parity("run --golden-mode update-changed topic/golden").status, 1);
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(parity("golden record topic/golden --reason 'loss is averaged over tokens'").status, 0);
  EXPECT_NE(bytes(), before);
  const golden::Golden golden = golden::read_golden(file());
  ASSERT_EQ(golden.history.size(), 1U);
  EXPECT_EQ(golden.history[0].reason, "loss is averaged over tokens");
  EXPECT_EQ(golden.history[0].content, golden.stored_digest);
  EXPECT_THAT(parity("golden history topic/golden").out, HasSubstr("loss is averaged over tokens"));
  const std::string after = bytes();
  EXPECT_EQ(parity("golden record topic/golden --reason 'not needed'").status, 0);
  EXPECT_EQ(bytes(), after);
}

TEST_F(GoldensTest, ChangedRun_IsRepeatedBeforeItIsBlamed) {
  change_values();
  const Outcome found = parity("run topic/golden");
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("a second run of x has the same bits"));
  EXPECT_THAT(found.out, Not(HasSubstr("second run of y"))) << "one arm is enough";
}

TEST_F(GoldensTest, RunThatDoesNotRepeatItself_SaysSo) {
  write_case("golden", shell_arm("x", "cp {case_dir}/$(cat {case_dir}/turn).h5 $PARITY_TRACE") +
                           copying_arm("y", "a") + losses_identical());
  write_file(folder_ / "cases/topic/turn", "a");
  ASSERT_EQ(parity("golden record topic/golden --reason 'other command'").status, 0);
  std::vector<double> other = falling_losses();
  other[7] = 6.5;
  write_trace("b", other);
  write_case(
      "golden",
      shell_arm("x",
                "n=$(cat {case_dir}/turn); cp {case_dir}/$n.h5 $PARITY_TRACE; echo c > {case_dir}/turn") +
          copying_arm("y", "a") + losses_identical());
  other[2] = 7.0;
  write_trace("c", other);
  write_file(folder_ / "cases/topic/turn", "b");
  const Outcome found = parity("run topic/golden");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("x does not repeat itself"));
  EXPECT_THAT(found.out, HasSubstr("loss at step 3"));
  EXPECT_THAT(words_of(found.out), HasSubstr("the difference did not show again in 6 further runs that "
                                             "recorded the operators of update 3"));
}

TEST_F(GoldensTest, RunThatNeverRepeatsItself_NamesWhatItCan) {
  write_file(folder_ / "cases/topic/turn", "a");
  write_case("golden", shell_arm("x", "cp {case_dir}/$(cat {case_dir}/turn).h5 $PARITY_TRACE") +
                           copying_arm("y", "a") + losses_identical());
  ASSERT_EQ(parity("golden record topic/golden --reason 'other command'").status, 0);
  std::vector<double> other = falling_losses();
  other[7] = 6.5;
  write_trace("b", other);
  other[2] = 7.0;
  write_trace("c", other);
  write_case("golden", shell_arm("x",
                                 "n=$(cat {case_dir}/turn); cp {case_dir}/$n.h5 $PARITY_TRACE; "
                                 "if [ $n = b ]; then echo c; else echo b; fi > {case_dir}/turn") +
                           copying_arm("y", "a") + losses_identical());
  write_file(folder_ / "cases/topic/turn", "b");
  const Outcome found = parity("run topic/golden -j1");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(words_of(found.out),
              HasSubstr("two further runs that recorded update 3 differ first in loss at step 3"));
}

TEST_F(GoldensTest, EachModeDoesWhatItsNameSays) {
  const std::string before = bytes();
  EXPECT_EQ(parity("run topic/golden --golden-mode update-all").status, 0);
  EXPECT_EQ(bytes(), before);  // written again, and a golden has the same bytes for the same values
  fs::remove(file());
  EXPECT_EQ(parity("run topic/golden --golden-mode compare").status, 3);
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_EQ(parity("run topic/golden --golden-mode create-missing").status, 0);
  EXPECT_EQ(bytes(), before);
  change_values();
  EXPECT_EQ(parity("run topic/golden --golden-mode create-missing --reason x").status, 1);
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(parity("run topic/golden --golden-mode update-all").status, 1);
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(parity("run topic/golden --golden-mode update-all --reason x").status, 0);
  EXPECT_NE(bytes(), before);
}

TEST_F(GoldensTest, OrphanGolden_FailsTheSuiteAndVerify) {
  EXPECT_EQ(parity("run").status, 0);
  fs::copy_file(file(), folder_ / "golden/topic/gone.h5");
  for (const char* verb : {"run", "golden verify"}) {
    const Outcome outcome = parity(verb);
    EXPECT_EQ(outcome.status, 3) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("golden/topic/gone.h5 belongs to no case")) << verb;
  }
  EXPECT_THAT(read_file(folder_ / "out/suite/junit.xml"), HasSubstr("gone.h5"));
  EXPECT_EQ(parity("run topic/golden").status, 0);  // not asked about the others
  EXPECT_THAT(parity("list").out, HasSubstr("gone.h5 belongs to no case"));
}

TEST_F(GoldensTest, OrphanPower_FailsLikeAnOrphanGolden) {
  const fs::path kept = folder_ / "golden/topic/golden.power.json",
                 gone = folder_ / "golden/topic/gone.power.json";
  const Json power = {{"schema", "parity.power/1"},
                      {"case", "topic/golden"},
                      {"case_digest", case_digest(suite::read_case(folder_ / "cases/topic/golden.toml"))},
                      {"sentence", "sees 1e-3"}};
  write_file(kept, power.dump());
  EXPECT_EQ(parity("golden verify").status, 0);
  EXPECT_THAT(parity("list").out, Not(HasSubstr("power")));
  write_file(gone, power.dump());
  for (const char* verb : {"run", "golden verify"}) {
    const Outcome outcome = parity(verb);
    EXPECT_EQ(outcome.status, 3) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("golden/topic/gone.power.json belongs to no case")) << verb;
  }
}

TEST_F(GoldensTest, StalePower_SaysHowToMeasureItAgain) {
  const fs::path file = folder_ / "cases/topic/golden.toml";
  write_file(folder_ / "golden/topic/golden.power.json",
             Json({{"schema", "parity.power/1"},
                   {"case", "topic/golden"},
                   {"case_digest", case_digest(suite::read_case(file))},
                   {"sentence", "sees 1e-3"}})
                 .dump());
  write_file(file, read_file(file) + "# another case now\n");
  const std::string advice = "measured before the case changed; run: parity power topic/golden --record";
  EXPECT_THAT(parity("list").out, HasSubstr(advice));
  EXPECT_EQ(Json::parse(parity("list topic/golden --json").out).at("cases").at(0).at("stale_power"), true);
  const Outcome verified = parity("golden verify");
  EXPECT_EQ(verified.status, 0);
  EXPECT_EQ(results().at("cases").at(0).at("power").at("sentence"), "sees 1e-3 (" + advice + ")");
}

TEST_F(GoldensTest, FloorsOfACaseThatKeepsNoGoldenAreUsed) {
  write_case("floors", no_golden() + copying_arm("x", "a") + copying_arm("y", "a") + losses_identical());
  compare::Floors floors;
  floors.kinds = {"twin"};
  floors.arms["x"] = {Json::object(), {{"loss", 1, 8.0, {1e-7}}}};
  golden::record_floors(folder_ / "golden/topic/floors.h5", {"topic/floors", "", "", ""}, floors);
  EXPECT_EQ(parity("golden verify").status, 0);
}

TEST_F(GoldensTest, WhatAllGoldensTakeIsToldAndBounded) {
  const uintmax_t bytes = fs::file_size(file());
  const Outcome small = parity("golden verify");
  EXPECT_EQ(small.status, 0);
  EXPECT_THAT(small.out, HasSubstr("1 golden file takes 0.0 MiB of the 64 MiB they may take"));
  const Json goldens = results().at("goldens");
  EXPECT_EQ(goldens, (Json{{"files", 1}, {"bytes", bytes}, {"limit", 64 << 20}}));
  EXPECT_THAT(read_file(folder_ / "out/suite/summary.md"), HasSubstr("1 golden file takes"));
  EXPECT_EQ(parity("golden verify --max-total-size " + std::to_string(bytes)).status, 0);
  const Outcome large = parity("golden verify --max-total-size " + std::to_string(bytes - 1));
  EXPECT_EQ(large.status, 1);
  const Json told = results().at("cases").at(1);
  EXPECT_THAT(told.at("sentence").get<std::string>(),
              AllOf(HasSubstr("the largest are golden/topic/golden.h5 ("), HasSubstr("--max-total-size")));
  EXPECT_EQ(parity("run --max-total-size 1K").status, 1);
  fs::copy_file(file(), folder_ / "golden/topic/gone.h5");
  const Outcome both = parity("golden verify --max-total-size 1K");
  EXPECT_EQ(both.status, 1);
  EXPECT_THAT(both.out, AllOf(HasSubstr("gone.h5 belongs to no case"), HasSubstr("2 golden files take")));
  fs::remove(folder_ / "golden/topic/gone.h5");
  EXPECT_EQ(parity("run topic/golden --max-total-size 1K").status, 0);  // not asked about the others
  EXPECT_EQ(parity("golden verify --max-total-size much").status, 2);
}

TEST_F(GoldensTest, AGoldenOfACaseBesideTheFolderOfCasesIsUsed) {
  fs::copy_file(folder_ / "cases/topic/golden.toml", folder_ / "mine.toml");
  fs::copy_file(folder_ / "cases/topic/a.h5", folder_ / "a.h5");
  ASSERT_EQ(parity("golden record mine.toml").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "golden/mine.h5"));
  EXPECT_EQ(parity("run").status, 0);
  fs::remove(folder_ / "mine.toml");
  EXPECT_EQ(parity("run").status, 3);
}

TEST_F(GoldensTest, AnArmThatTheCaseNoLongerKeepsFails) {
  write_case("golden", "[golden]\narms = [\"x\"]\n" + copying_arm("x", "a") + copying_arm("y", "a") +
                           losses_identical());
  const Outcome outcome = parity("run topic/golden");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, HasSubstr("the golden has arm 'y'"));
  EXPECT_EQ(state(), "unused");
}

TEST_F(GoldensTest, AGoldenOfWhichTheCaseKeepsNoArmFails) {
  write_case("golden",
             "[golden]\narms = []\n" + copying_arm("x", "a") + copying_arm("y", "a") + losses_identical());
  const Outcome outcome = parity("run topic/golden");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, HasSubstr("the case compares no arm with its golden golden/topic/golden.h5"));
  fs::remove(file());
  EXPECT_EQ(parity("run topic/golden").status, 0);
}

TEST_F(GoldensTest, EmptyListOfArms_FailsVerifyOfSomeCases) {
  write_case("other", copying_arm("x", "a") + copying_arm("y", "a") + losses_identical());
  ASSERT_EQ(parity("golden record topic/other").status, 0);
  ASSERT_EQ(parity("golden verify topic/golden topic/other").status, 0);
  write_case("golden",
             "[golden]\narms = []\n" + copying_arm("x", "a") + copying_arm("y", "a") + losses_identical());
  for (const char* verb : {"golden verify", "golden verify topic/golden topic/other", "run",
                           "run topic/golden --golden-mode create-missing",
                           "run topic/golden --golden-mode update-all --reason x"}) {
    const Outcome outcome = parity(verb);
    EXPECT_EQ(outcome.status, 3) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("golden/topic/golden.h5")) << verb;
  }
  EXPECT_THAT(parity("golden verify topic/golden topic/other").out,
              HasSubstr("1 golden file belongs to no case"));
  EXPECT_EQ(parity("golden verify topic/other").status, 0) << "not asked about the other";
  const Outcome alone = parity("golden verify topic/golden");
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.err, HasSubstr("none of these cases has a golden"));
  EXPECT_EQ(state(), "unused");
  write_file(file(), "damaged");
  EXPECT_EQ(parity("golden verify topic/golden topic/other").status, 3);
  EXPECT_EQ(parity("run topic/golden").status, 3);
}

TEST_F(GoldensTest, ArmThatWasNotRecorded_Fails) {
  const std::string arms = copying_arm("x", "a") + copying_arm("y", "a") + copying_arm("z", "a");
  const std::string losses = losses_identical() + "arms = [\"x\", \"y\"]\n";
  for (const char* table : {"", "[golden]\narms = [\"x\", \"y\", \"z\"]\n"}) {
    write_case("golden", table + arms + losses);
    for (const char* verb : {"run topic/golden", "golden verify topic/golden",
                             "run topic/golden --golden-mode create-missing"}) {
      const Outcome outcome = parity(verb);
      EXPECT_EQ(outcome.status, 3) << verb;
      EXPECT_THAT(outcome.out, HasSubstr("the golden has no arm 'z'")) << verb;
    }
    EXPECT_EQ(state(), "incomplete");
  }
  write_case("golden", "[golden]\narms = [\"x\", \"y\"]\n" + arms + losses);
  EXPECT_EQ(parity("run topic/golden").status, 0);
}

TEST_F(GoldensTest, ArmThatTheCaseNoLongerHas_Fails) {
  write_case("golden", copying_arm("x", "a") + copying_arm("w", "a") + losses_identical());
  for (const char* verb : {"run topic/golden", "golden verify topic/golden"}) {
    const Outcome outcome = parity(verb);
    EXPECT_EQ(outcome.status, 3) << verb;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("the golden has arm 'y'"), HasSubstr("no arm 'w'"))) << verb;
  }
  write_file(folder_ / "cases/topic/golden.toml", "[golden]\narms = [\"y\"]\n" + copying_arm("x", "a") +
                                                      copying_arm("w", "a") + losses_identical());
  const Outcome unknown = parity("run topic/golden");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'y'"));
}

TEST_F(GoldensTest, TakenSealUnderFirstSchema_IsDamage) {
  const std::string whole = bytes();
  const auto edit = [&](const std::string& lines) {
    write_file(file(), whole);
    return run_python(folder_,
                      "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\ndel f['seal']\n"
                      "f.attrs['schema'] = 'parity.golden/1.0'\n" +
                          lines + "f.close()\n",
                      file().string())
        .status;
  };
  ASSERT_EQ(edit(""), 0);
  for (const char* verb : {"run topic/golden", "golden verify topic/golden"}) {
    const Outcome outcome = parity(verb);
    EXPECT_EQ(outcome.status, 1) << verb;
    EXPECT_THAT(words_of(outcome.out), HasSubstr("its seal was removed")) << verb;
  }
  EXPECT_EQ(state(), "corrupt");
  ASSERT_EQ(edit("del f.attrs['history']\nfor a in f['arms'].values():\n  del a.attrs['given']\n"), 0);
  EXPECT_EQ(parity("run topic/golden").status, 0) << "all that version 1.0 stored";
}

TEST_F(GoldensTest, ListTellsTheStateOfEachGolden) {
  EXPECT_EQ(state(), "stored");
  const std::string whole = bytes();
  write_file(file(), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(state(), "corrupt");
  write_file(file(), "not HDF5 at all");
  EXPECT_EQ(state(), "corrupt");
  std::string flipped = whole;
  flipped[flipped.size() - 100] = static_cast<char>(flipped[flipped.size() - 100] ^ 1);
  write_file(file(), flipped);
  EXPECT_EQ(state(), "corrupt");
  fs::remove(file());
  EXPECT_EQ(state(), "missing");
  EXPECT_THAT(parity("list").out, HasSubstr("there is no golden"));
}

TEST_F(GoldensTest, VerifyFindsADamagedFile) {
  EXPECT_EQ(parity("golden verify").status, 0);
  const std::string whole = bytes();
  for (const auto& [damage, status] : {std::pair{whole.substr(0, whole.size() - 1), 3},
                                       std::pair{whole + "x", 1}, std::pair{std::string("PK"), 3}}) {
    write_file(file(), damage);
    EXPECT_EQ(parity("golden verify").status, status) << damage.size();
  }
}

TEST_F(GoldensTest, DiffShowsWhatChangedSinceARevision) {
  commit_all();
  EXPECT_EQ(parity("golden diff HEAD").status, 0);
  change_values();
  ASSERT_EQ(parity("golden record topic/golden --reason 'another loss'").status, 0);
  const Outcome text = parity("golden diff HEAD");
  EXPECT_EQ(text.status, 1) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("1 changed, 0 added, 0 removed"), HasSubstr("## topic/golden: changed"),
                    HasSubstr("| x | loss | 1 of 10 | 6 | 6.75 | 6.5 |"), HasSubstr("another loss")));
  const Json json = Json::parse(parity("golden diff HEAD topic/golden --json").out);
  EXPECT_EQ(json.at("goldens").at(0).at("differences").at(0).at("first_step"), 6);
  EXPECT_EQ(json.at("goldens").at(0).at("reasons").at(0).at("reason"), "another loss");
  EXPECT_EQ(parity("golden diff HEAD~7").status, 2);
  EXPECT_EQ(parity("golden diff HEAD topic/gloden").status, 2);
}

TEST_F(GoldensTest, DiffDrawsBothSidesWithTheOrdinaryReport) {
  commit_all();
  change_values();
  ASSERT_EQ(parity("golden record topic/golden --reason r").status, 0);
  EXPECT_THAT(parity("golden diff HEAD").err, HasSubstr("out/golden-diff/index.html"));
  const Json results = this->results("out/golden-diff");
  ASSERT_EQ(results.at("cases").size(), 2U);  // arms x and y
  const Json& item = results.at("cases").at(0);
  EXPECT_EQ(item.at("name"), "topic/golden x");
  EXPECT_EQ(item.at("arms").at(0).at("name"), "HEAD");
  const Json& loss = item.at("curves").at(0);
  EXPECT_EQ(loss.at("series").at("HEAD").at(5), 6.75);
  EXPECT_EQ(loss.at("series").at("working tree").at(5), 6.5);
  EXPECT_EQ(loss.at("gap").at("working tree").at(5), 0.25);
  EXPECT_EQ(item.at("checks").at(0).at("finding").at("expected"), 6.75);
  for (const char* name : {"index.html", "summary.md", "junit.xml"})
    EXPECT_THAT(read_file(folder_ / "out/golden-diff" / name), HasSubstr("topic/golden x")) << name;
}

TEST_F(GoldensTest, DiffTakesNoDamagedGoldenForAChange) {
  commit_all();
  std::string flipped = bytes();
  const double loss = 6.75;
  const size_t at = flipped.find(std::string(reinterpret_cast<const char*>(&loss), sizeof loss));
  ASSERT_NE(at, std::string::npos);
  flipped[at] = 1;
  write_file(file(), flipped);
  const Outcome outcome = parity("golden diff HEAD");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("edited or damaged"));
}

TEST_F(GoldensTest, DiffNamesGoldensThatCameAndWent) {
  commit_all();
  write_case("fresh", copying_arm("x", "a") + copying_arm("y", "a") + losses_identical());
  ASSERT_EQ(parity("golden record topic/fresh").status, 0);
  fs::remove(file());
  const Outcome outcome = parity("golden diff HEAD");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("0 changed, 1 added, 1 removed"), HasSubstr("topic/fresh: added"),
                                 HasSubstr("topic/golden: removed")));
}

TEST_F(GoldensTest, OutsideARepositoryDiffSaysSo) {
  const Outcome outcome = parity("golden diff HEAD");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("'HEAD' is neither a case nor a revision"), Not(HasSubstr("mean"))));
  EXPECT_THAT(parity("golden diff topic/sane").err, HasSubstr("did you mean 'topic/same'?"));
}

}  // namespace
}  // namespace parity::cli
