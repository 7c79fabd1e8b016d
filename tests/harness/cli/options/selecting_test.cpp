// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Which cases run, and how far they run.
class SelectingTest : public ProgramTest {
 protected:
  /// A case of two equal runs of its own trace.
  void write_alone(const std::string& name, const std::string& more = "") const {
    std::vector<double> losses = falling_losses();
    losses[0] += static_cast<double>(name.back());
    write_trace(name, losses);
    write_case(name,
               more + no_golden() + copying_arm("x", name) + copying_arm("y", name) + losses_identical());
  }
};

TEST_F(SelectingTest, TagsChooseAndLeaveOut) {
  write_alone("other", "tags = [\"fast\", \"gpu\"]\n");
  parity("run --tag fast --not-tag gpu");
  EXPECT_THAT(judged(), ElementsAre("topic/same"));
  parity("run --tag gpu --tag none");
  EXPECT_THAT(judged(), ElementsAre("topic/other"));
  const Outcome none = parity("run --tag gup");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("did you mean 'gpu'"));
  EXPECT_EQ(parity("run --tag gpu --not-tag fast").status, 2);
  EXPECT_THAT(parity("run --tag gpu --not-tag fast").err, HasSubstr("known tags: fast, gpu"));
}

TEST_F(SelectingTest, ShardsShareTheSuiteAndMergeIntoIt) {
  for (const char* name : {"p", "q", "r"})
    write_alone(name);
  std::multiset<std::string> all;
  for (const char* shard : {"1", "2", "3"}) {
    EXPECT_EQ(parity(std::string("run --out out/s") + shard + " --shard " + shard + "/3").status, 0);
    for (const std::string& name : judged(std::string("out/s") + shard))
      all.insert(name);
  }
  EXPECT_THAT(all, ElementsAre("topic/p", "topic/q", "topic/r", "topic/same"));
  const Outcome merged = parity("report out/s1 out/s3 out/s2 --out out/all --json");
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(Json::parse(merged.out).at("cases").size(), 4U);
  EXPECT_TRUE(Json::parse(merged.out).at("missing_shards").empty());
  double longest = 0;
  for (const char* shard : {"out/s1", "out/s2", "out/s3"})
    longest = std::max(longest, results(shard).at("seconds").get<double>());
  EXPECT_EQ(Json::parse(merged.out).at("seconds"), longest) << "shards run side by side";
  const Outcome missing = parity("report out/s1 out/s3 --out out/all");
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("shard 2 is missing"));
  EXPECT_THAT(read_file(folder_ / "out/all/index.html"), HasSubstr("missing shards"));
  EXPECT_THAT(read_file(folder_ / "out/all/summary.md"),
              HasSubstr("## ❌ Not the whole suite: shard 2 is missing"));
  EXPECT_EQ(parity("report out/s1 --out out/one").status, 3) << "one shard is not the suite either";
  const Outcome twice = parity("report out/s1 out/s1 out/s2 --out out/all");
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("shard 1 of 3 is given twice"));
}

TEST_F(SelectingTest, ShardsOfDifferentSuitesDoNotMerge) {
  write_alone("p");
  parity("run --out out/s1 --shard 1/2");
  write_alone("q");
  parity("run --out out/s2 --shard 2/2");
  const Outcome outcome = parity("report out/s1 out/s2 --out out/all");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("of other cases"));
  for (const char* bad : {"0/2", "3/2", "2", "1/", "a/b", "-1/2", "1/2/3"})
    EXPECT_EQ(parity(std::string("run --shard ") + bad).status, 2) << bad;
}

TEST_F(SelectingTest, FailFast_StopsAtFirstFailureNamingTheRest) {
  write_case("bad", no_golden() + copying_arm("a", "a") + copying_arm("b", "b") + losses_identical());
  write_case("slow", no_golden() + copying_arm("a", "a") + shell_arm("b", "sleep 600") + losses_identical());
  const Outcome outcome = parity("run --fail-fast --jobs 4");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(judged(), testing::Contains("topic/bad"));
  EXPECT_THAT(judged(), Not(testing::Contains("topic/slow")));
  EXPECT_THAT(outcome.err, HasSubstr("stopped at the first failure"));
  EXPECT_THAT(results().at("unfinished"), testing::Contains("topic/slow"));
}

TEST_F(SelectingTest, RerunFailedTakesTheFailedCasesOfTheLastRun) {
  write_different();
  EXPECT_EQ(parity("run --rerun-failed").status, 3);  // nothing has run yet
  EXPECT_EQ(parity("run").status, 1);
  const Outcome narrowed = parity("run --rerun-failed topic/same");
  EXPECT_EQ(narrowed.status, 0);
  EXPECT_THAT(narrowed.err, HasSubstr("each of these cases passed"));
  EXPECT_EQ(parity("run --rerun-failed").status, 1);
  EXPECT_THAT(judged(), ElementsAre("topic/differ"));
  fs::copy_file(folder_ / "cases/topic/a.h5", folder_ / "cases/topic/b.h5",
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(parity("run --rerun-failed").status, 0);
  EXPECT_EQ(parity("run --rerun-failed").status, 0);
}

TEST_F(SelectingTest, RunOfOneCase_KeepsTheReportOfAll) {
  write_different();
  EXPECT_EQ(parity("run").status, 1);
  const Outcome one = parity("run topic/same");
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(judged(), ElementsAre("topic/same"));
  EXPECT_THAT(one.err, HasSubstr("the report of 2 cases of 20"));
  const std::string kept = "out/suite/earlier/";
  const size_t at = one.err.find(kept);
  ASSERT_NE(at, std::string::npos);
  const std::string folder = one.err.substr(at, one.err.find("/index.html", at) - at);
  EXPECT_THAT(judged(folder), testing::UnorderedElementsAre("topic/differ", "topic/same"));
  EXPECT_TRUE(fs::exists(folder_ / folder / "index.html"));
  EXPECT_EQ(parity("report " + folder).status, 1);
  EXPECT_THAT(parity("run").err, Not(HasSubstr(kept))) << "every row is renewed";
  EXPECT_FALSE(fs::exists(folder_ / folder));
}

TEST_F(SelectingTest, CaseOutsideTheRoot_IsFoundByItsName) {
  fs::rename(folder_ / "cases/topic/same.toml", folder_ / "mine.toml");
  fs::copy_file(folder_ / "cases/topic/a.h5", folder_ / "a.h5");
  EXPECT_EQ(parity("run mine").status, 0);
  fs::remove_all(folder_ / "cases");
  EXPECT_EQ(parity("run mine").status, 0);
  EXPECT_THAT(parity("explain mine a.h5").err,
              HasSubstr("it is a case, not one run); name a run of the case: mine:first, mine:second"));
  EXPECT_THAT(parity("explain mnie a.h5").err, HasSubstr("name a run of the case: mine:first, mine:second"));
  EXPECT_THAT(parity("explain mnie:first a.h5").err, HasSubstr("(did you mean 'mine'?)"));
}

TEST_F(SelectingTest, RerunFailedProvesAgain) {
  write_different();
  EXPECT_EQ(parity("run --prove").status, 1);
  EXPECT_EQ(parity("run --rerun-failed").status, 1);
  EXPECT_THAT(results().at("command").dump(), HasSubstr("--prove"));
  EXPECT_EQ(parity("run").status, 1);
  EXPECT_EQ(parity("run --rerun-failed").status, 1);
  EXPECT_THAT(results().at("command").dump(), Not(HasSubstr("--prove")));
}

TEST_F(SelectingTest, MissingProgram_IsMissingAndNamed) {
  write_case("absent", no_golden() + copying_arm("first", "a") +
                           "[arms.second]\ncommand = [\"no-such-program\"]\n" + losses_identical());
  const Outcome outcome = parity("run topic/absent");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("arm second lacks a program or file"), HasSubstr("no-such-program"),
                    HasSubstr("PATH"), Not(HasSubstr("not_started"))));
}

TEST_F(SelectingTest, OneArmTwice_NamesRepeats) {
  write_file(folder_ / "cases/topic/twice.toml", no_golden() + copying_arm("first", "a") +
                                                     copying_arm("second", "a") + losses_identical() +
                                                     "arms = [\"first\", \"first\"]\n");
  EXPECT_THAT(parity("run topic/twice").err, HasSubstr("use relation = \"repeats\""));
}

TEST_F(SelectingTest, RerunFailedTakesWhatTheSuiteDidNotGetToAsWell) {
  write_case("bad", no_golden() + copying_arm("a", "a") + copying_arm("b", "b") + losses_identical());
  write_case("late",
             no_golden() + copying_arm("a", "a") +
                 shell_arm("b", "test -e {case_dir}/go || sleep 600; cp {case_dir}/a.h5 $PARITY_TRACE") +
                 losses_identical());
  EXPECT_EQ(parity("run --fail-fast --jobs 4").status, 1);
  write_file(folder_ / "cases/topic/go", "");
  EXPECT_EQ(parity("run --rerun-failed").status, 1);
  EXPECT_THAT(judged(), testing::IsSupersetOf({"topic/bad", "topic/late"}));
}

TEST_F(SelectingTest, ACaseThatWouldNotRunIsListedWithTheReason) {
  write_file(folder_ / "t.schema.json", R"({"schema": "parity.config/1", "channels": ["loss"], "keys":
    {"lr.base": {"type": "number", "default": 1}, "seed": {"type": "integer", "default": 1}}})");
  write_case("typo", no_golden() + "[arms.a]\nlr.bsae = 1\n[arms.b]\nseed = 2\n" + losses_identical());
  EXPECT_THAT(parity("list").out, Not(HasSubstr("would not run")));  // without a trainer nothing is known
  EXPECT_THAT(shell("env PARITY_TRAINER=./t parity list").out, HasSubstr("topic/typo: would not run: "));
  EXPECT_THAT(shell("env PARITY_TRAINER=./t parity list --json").out,
              HasSubstr("unknown config key 'lr.bsae' (did you mean 'lr.base'?)"));
}

TEST_F(SelectingTest, ReasonWithoutGolden_ZeroCores_AreRefused) {
  EXPECT_THAT(parity("run --reason 'new kernel'").err, HasSubstr("--golden-mode update-changed"));
  EXPECT_EQ(parity("run --reason 'new kernel'").status, 2);
  EXPECT_THAT(parity("run --jobs 0").err, HasSubstr("--jobs 0"));
}

TEST_F(SelectingTest, RerunFailedRepeatsWhatSetHadChanged) {
  write_different();
  EXPECT_EQ(parity("run topic/differ --set first:width=3").status, 1);
  EXPECT_EQ(parity("run --rerun-failed").status, 1);
  const Json item = results().at("cases").at(0);
  EXPECT_EQ(item.at("settings"), Json{"first:width=3"});
  EXPECT_EQ(item.at("arms").at(0).at("config").at("width"), 3);
}

TEST_F(SelectingTest, ASettingChangesOneArmAndIsNoGoldensBusiness) {
  write_case("golden",
             copying_arm("x", "a") + shell_arm("y", "cp {case_dir}/a.h5 $PARITY_TRACE") + losses_identical());
  EXPECT_EQ(parity("golden record topic/golden").status, 0);
  const Outcome outcome = parity("run topic/golden --set y:width=3 --set x:mode=wide");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  const Json item = results().at("cases").at(0);
  EXPECT_EQ(item.at("settings"), (Json{"y:width=3", "x:mode=wide"}));
  EXPECT_THAT(item.at("notes").at(0).get<std::string>(), HasSubstr("changed by --set y:width=3"));
  EXPECT_EQ(item.at("arms").at(1).at("config").at("width"), 3);
  EXPECT_FALSE(item.at("arms").at(0).at("config").contains("width"));
  for (const Json& check : item.at("checks"))
    EXPECT_NE(check.at("kind"), "golden");
  EXPECT_EQ(item.at("reproduce"), "parity run cases/topic/golden.toml --set y:width=3 --set x:mode=wide");
  EXPECT_EQ(parity("golden diff topic/golden").status, 2);  // that run's values are not the case's
}

TEST_F(SelectingTest, ASettingThatMeansNothingIsTold) {
  const Outcome arm = parity("run topic/same --set frist:width=3");
  EXPECT_EQ(arm.status, 2);
  EXPECT_THAT(arm.err, AllOf(HasSubstr("--set frist:width=3"), HasSubstr("did you mean 'first'")));
  for (const char* bad : {"width", "=3", ":width=3", "first:=3"})
    EXPECT_EQ(parity(std::string("run topic/same --set ") + bad).status, 2) << bad;
  const Outcome golden = parity("run topic/same --set width=3 --golden-mode update-all");
  EXPECT_EQ(golden.status, 2);
  EXPECT_THAT(golden.err, HasSubstr("cannot use --set with --golden-mode"));
}

}  // namespace
}  // namespace parity::cli
