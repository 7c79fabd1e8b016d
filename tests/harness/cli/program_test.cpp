// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"
#include "tests/support/places.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(ProgramTest, BadUsageIsExitTwo) {
  EXPECT_EQ(parity("").status, 2);
  EXPECT_THAT(parity("rnu").err, HasSubstr("did you mean 'run'"));
  EXPECT_EQ(parity("rnu").status, 2);
  EXPECT_EQ(parity("run --no-such-option").status, 2);
  EXPECT_THAT(parity("run --jbos 2").err,
              HasSubstr("parity run has no option --jbos (did you mean '--jobs'?)"));
  EXPECT_THAT(parity("golden recrod").err, HasSubstr("did you mean 'record'"));
  EXPECT_EQ(parity("golden recrod").status, 2);
  EXPECT_THAT(parity("golden").err, HasSubstr("parity golden needs a verb; known: record, verify"));
  EXPECT_THAT(parity("run --jobs").err, HasSubstr("see: parity run --help"));
  EXPECT_THAT(parity("run --jobs two").err, HasSubstr("two"));
  EXPECT_THAT(parity("version now").err, HasSubstr("parity version does not take 'now'"));
  EXPECT_EQ(parity("compare a.h5").status, 2);
  EXPECT_EQ(parity("run --golden-mode update").status, 2);
  EXPECT_THAT(parity("run --golden-mode update").err, HasSubstr("update-changed"));
  EXPECT_EQ(parity("run --jobs=-1").status, 2);
  EXPECT_THAT(parity("list --tag slow").err, HasSubstr("no case has the tag 'slow'"));
  EXPECT_THAT(parity("run topic/smae").err, HasSubstr("did you mean 'topic/same'"));
}

TEST_F(ProgramTest, ABadCaseStopsBeforeAnythingRuns) {
  write_file(folder_ / "cases/topic/typo.toml", "titel = \"x\"\n");
  const Outcome outcome = parity("run");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cases/topic/typo.toml:1:1"), HasSubstr("'title'")));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(ProgramTest, ListShowsCasesForPeopleAndMachines) {
  EXPECT_THAT(parity("list").out, AllOf(HasSubstr("topic/same"), HasSubstr("fast")));
  const Json all = Json::parse(parity("list --json --tag fast").out).at("cases");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.at(0).at("name"), "topic/same");
  EXPECT_EQ(all.at(0).at("arms"), (Json{"first", "second"}));
}

TEST_F(ProgramTest, Keys_AreFoundByPartialNameWithDefaultAndHelp) {
  const Json schema = {{"schema", "parity.config/1"},
                       {"keys",
                        {{"lr.base", {{"type", "number"}, {"default", 0.5}, {"doc", "The rate."}}},
                         {"lr.decay",
                          {{"type", "string"},
                           {"default", "linear"},
                           {"doc", "Its shape."},
                           {"values", {"linear", "cosine"}}}},
                         {"steps", {{"type", "integer"}, {"default", 3}, {"doc", "Updates."}}}}},
                       {"channels", {"loss"}}};
  write_file(folder_ / "t.schema.json", schema.dump());
  EXPECT_THAT(parity("keys --trainer t").out, AllOf(HasSubstr("steps = 3"), HasSubstr("channels\n    loss")));
  EXPECT_EQ(parity("keys --trainer t lr.").out,
            "lr.base = 0.5  number\n    The rate.\n"
            "lr.decay = \"linear\"  string of \"linear\", \"cosine\"\n    Its shape.\n");
  EXPECT_EQ(Json::parse(parity("keys --trainer t 'st*' --json").out).at("keys").size(), 1U);
  EXPECT_THAT(parity("keys --trainer t lr.bsae").err, HasSubstr("did you mean 'lr.base'?"));
  EXPECT_EQ(parity("keys --trainer t lr.bsae").status, 2);
  EXPECT_THAT(parity("keys --trainer t daecy").err, HasSubstr("(did you mean 'decay'?)"))
      << "a word of a key";
  EXPECT_EQ(parity("keys").status, 3);
}

TEST_F(ProgramTest, ASlowCaseIsListedAndRunsOnlyWhenAskedFor) {
  write_case("long", "tags = [\"slow\"]\n" + no_golden() + copying_arm("first", "a") +
                         copying_arm("second", "a") + losses_identical());
  EXPECT_THAT(parity("list").out, HasSubstr("topic/long"));
  const Outcome unasked = parity("run");
  EXPECT_THAT(unasked.out, AllOf(HasSubstr("topic/same"), Not(HasSubstr("topic/long"))));
  EXPECT_THAT(unasked.err, HasSubstr("left out: topic/long (tag slow; name it, or add --tag slow)"));
  EXPECT_THAT(parity("run topic").err,
              HasSubstr("includes topic/long with the tag slow; leave it out with --not-tag slow"));
  const Outcome named = parity("run topic/long");
  EXPECT_THAT(named.out, HasSubstr("topic/long"));
  EXPECT_THAT(named.err, Not(HasSubstr("includes")));
  EXPECT_THAT(parity("run --tag slow").out, HasSubstr("topic/long"));
  fs::remove(folder_ / "cases/topic/same.toml");
  EXPECT_THAT(parity("run").err, HasSubstr("topic/long has the tag slow); name it, or add --tag slow"));
}

TEST_F(ProgramTest, TheRepositorysCasesCanBeRead) {
  const Outcome outcome = parity("list --json --cases " + places::source + "/cases");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GE(Json::parse(outcome.out).at("cases").size(), 5U);
}

TEST_F(ProgramTest, AgreementIsExitZeroAndLeavesAReport) {
  const Outcome outcome = parity("run --jobs 2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("topic/same"), Not(HasSubstr("\033"))));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("out/suite/index.html"), Not(HasSubstr("\033"))));
  for (const char* file : {"results.json", "index.html", "junit.xml", "summary.md"})
    EXPECT_TRUE(fs::exists(folder_ / "out/suite" / file)) << file;
}

TEST_F(ProgramTest, Difference_ExitsOneWithPasteableCommand) {
  write_different();
  const Outcome outcome = parity("run topic/differ --json");
  EXPECT_EQ(outcome.status, 1);
  const Json results = Json::parse(outcome.out);
  const std::string command = results.at("cases").at(0).at("checks").at(0).at("finding").at("next");
  const Outcome closer = shell(command);
  EXPECT_EQ(closer.status, 1) << command << "\n" << closer.err;
  EXPECT_THAT(closer.out, AllOf(HasSubstr("7.25"), HasSubstr("7.5"), HasSubstr("step 4")));
  const std::string again = results.at("cases").at(0).at("reproduce");
  EXPECT_EQ(shell(again).status, 1);
  const Outcome text = parity("run");
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, AllOf(HasSubstr(command), HasSubstr("7.25"), HasSubstr("the test says so")));
}

TEST_F(ProgramTest, ACrashIsExitFourAndMissingThingsAreExitThree) {
  write_case("crash", no_golden() + copying_arm("a", "a") + shell_arm("b", "exit 9") + losses_identical());
  EXPECT_EQ(parity("run topic/crash").status, 4);
  write_case("golden", copying_arm("a", "a") + copying_arm("b", "a") + losses_identical());
  EXPECT_EQ(parity("run topic/golden").status, 3);
  write_case("trainer", "[arms.a]\n[arms.b]\nlr.base = 1.0\n" + losses_identical());
  const Outcome outcome = parity("run topic/trainer");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("cannot find the trainer /no/such/trainer"), HasSubstr("--trainer")));
}

TEST_F(ProgramTest, CompareTellsAgreementFromDifference) {
  EXPECT_EQ(parity("compare cases/topic/a.h5 cases/topic/a.h5").status, 0);
  const Outcome outcome = parity("compare cases/topic/a.h5 cases/topic/b.h5");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("loss"), HasSubstr("different: 1 of 3 channels")));
  EXPECT_EQ(parity("compare cases/topic/a.h5 cases/topic/b.h5 --step 3").status, 0);
  EXPECT_EQ(parity("compare cases/topic/a.h5 cases/topic/b.h5 --channel lr").status, 0);
  const Json json =
      Json::parse(parity("compare cases/topic/a.h5 cases/topic/b.h5 --channel loss --json").out);
  EXPECT_FALSE(json.at("identical").get<bool>());
  EXPECT_EQ(json.at("channels").at(0).at("actual").at(3), 7.5);
}

TEST_F(ProgramTest, CheckOfSeveralChannels_CommandsArePasteable) {
  write_case("two",
             no_golden() + copying_arm("first", "a") + copying_arm("second", "a") +
                 "[[checks]]\nchannel = [\"loss\", \"lr\"]\nrelation = \"identical\"\nbecause = \"x\"\n");
  const Json results = Json::parse(parity("run topic/two --json").out);
  const std::string command = results.at("cases").at(0).at("checks").at(0).at("finding").at("next");
  EXPECT_THAT(command, HasSubstr("--channel loss --channel lr"));
  const Outcome closer = shell(command);
  EXPECT_EQ(closer.status, 0) << closer.err;
  EXPECT_THAT(closer.out, AllOf(HasSubstr("loss"), HasSubstr("lr")));
  EXPECT_THAT(parity("compare cases/topic/a.h5 cases/topic/b.h5 --channel lr --channel los").err,
              HasSubstr("did you mean 'loss'"));
}

TEST_F(ProgramTest, CompareRefusesWhatIsNotThere) {
  EXPECT_THAT(parity("compare cases/topic/a.h5 cases/topic/b.h5 --channel los").err,
              HasSubstr("did you mean 'loss'"));
  EXPECT_EQ(parity("compare cases/topic/a.h5 cases/topic/b.h5 --tensor 'wq*'").status, 2);
  EXPECT_EQ(parity("compare cases/topic/a.h5 cases/topic/b.h5 --step 99").status, 3);
  EXPECT_EQ(parity("compare cases/topic/a.h5 cases/topic/b.h5 --phase grads").status, 2);
  const int missing = parity("compare cases/topic/a.h5 cases/topic/none.h5").status;
  EXPECT_TRUE(missing == 2 || missing == 3) << missing;
}

TEST_F(ProgramTest, CompareTakesArmsOfTheLastRunOfACase) {
  write_different();
  EXPECT_EQ(parity("compare topic/differ:first topic/differ:second").status, 3);
  EXPECT_THAT(parity("compare topic/differ:first topic/differ:second").err,
              HasSubstr("parity run topic/differ"));
  parity("run topic/differ");
  parity("run topic/same");  // another case's run removes nothing
  EXPECT_EQ(parity("compare topic/differ:first topic/differ:first").status, 0);
  EXPECT_THAT(parity("compare topic/differ:first topic/differ:second").out, HasSubstr("7.5"));
  EXPECT_THAT(parity("compare topic/differ:frist topic/differ:second").err,
              HasSubstr("did you mean 'first'"));
  EXPECT_THAT(parity("compare topic/differ:first:float64 topic/differ:second").err,
              HasSubstr("had no float64 twin in its last run"));
}

TEST_F(ProgramTest, WhatDidNotFinishIsLookedAtInItsOwnWords) {
  write_case("crash", no_golden() + copying_arm("a", "a") + shell_arm("b", "echo no such gpu >&2; exit 9") +
                          losses_identical());
  const Json results = Json::parse(parity("run topic/crash --json").out);
  const std::string command = results.at("cases").at(0).at("checks").at(0).at("finding").at("next");
  EXPECT_THAT(shell(command).out, HasSubstr("no such gpu")) << command;
}

TEST_F(ProgramTest, AMissingGoldenIsClosedByRecordingIt) {
  write_case("golden", copying_arm("a", "a") + copying_arm("b", "a") + losses_identical());
  const Json results = Json::parse(parity("run topic/golden --json").out);
  const Json& check = results.at("cases").at(0).at("checks").back();
  EXPECT_EQ(check.at("verdict"), "missing");
  EXPECT_EQ(shell(check.at("finding").at("next")).status, 0) << check.at("finding").at("next");
  EXPECT_EQ(parity("run topic/golden").status, 0);
}

TEST_F(ProgramTest, CompareSeesATraceThatStopsEarly) {
  std::vector<double> shorter = falling_losses();
  shorter.pop_back();
  write_trace("short", shorter);
  const Outcome outcome = parity("compare cases/topic/a.h5 cases/topic/short.h5");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("the first has 10 updates (last 10), the second 9 (last 9)"));
}

TEST_F(ProgramTest, GoldensAreRecordedVerifiedAndShown) {
  write_case("golden", copying_arm("a", "a") + copying_arm("b", "a") + losses_identical());
  EXPECT_EQ(parity("golden record topic/golden").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "golden/topic/golden.h5"));
  EXPECT_EQ(parity("golden verify topic/golden").status, 0);
  EXPECT_EQ(parity("golden diff topic/golden").status, 0);
  std::vector<double> other = falling_losses();
  other[5] = 6.5;
  write_trace("a", other);
  EXPECT_EQ(parity("golden verify topic/golden").status, 1);
  const Outcome diff = parity("golden diff topic/golden");
  EXPECT_EQ(diff.status, 1);
  EXPECT_THAT(diff.out, AllOf(HasSubstr("loss"), HasSubstr("6.75"), HasSubstr("6.5")));
  fs::copy_file(folder_ / "golden/topic/golden.h5", folder_ / "before.h5");
  EXPECT_EQ(parity("golden record topic/golden --reason test").status, 0);
  EXPECT_EQ(parity("golden diff before.h5 golden/topic/golden.h5").status, 1);
  EXPECT_EQ(parity("golden diff before.h5 before.h5").status, 0);
}

TEST_F(ProgramTest, ReportRendersAgainWithTheExitStatusOfTheRun) {
  write_different();
  parity("run topic/same --out out/one");
  parity("run topic/differ --out out/two");
  EXPECT_EQ(parity("report out/one").status, 0);
  EXPECT_EQ(parity("report out/one out/two").status, 2);
  EXPECT_EQ(parity("report out/one out/two --out out/all").status, 1);
  EXPECT_TRUE(fs::exists(folder_ / "out/all/index.html"));
  EXPECT_EQ(parity("report out/none").status, 3);
}

TEST_F(ProgramTest, VersionNamesTheCommit) {
  const Json version = Json::parse(parity("version --json").out);
  EXPECT_EQ(version.at("name"), "parity");
  EXPECT_FALSE(version.at("commit").get<std::string>().empty());
}

TEST_F(ProgramTest, TheProgramDoesNotLoadLibTorch) {
  const Outcome outcome = shell("ldd " + places::build + "/bin/parity");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("libhdf5"), Not(HasSubstr("libtorch")), Not(HasSubstr("libc10"))));
}

TEST_F(ProgramTest, CtrlC_KeepsFinishedCasesAndSaysHowToResume) {
  write_case("slow", no_golden() + copying_arm("a", "a") +
                         shell_arm("b", "echo $$ > {run_dir}/pid; exec sleep 600") + losses_identical());
  Process process = Process::spawn(spec("parity run --jobs 4"));
  const auto find_pid = [&]() -> pid_t {
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "out", error))
      if (entry.path().filename() == "pid" && fs::file_size(entry.path()) > 1)
        return std::stoi(read_file(entry.path()));
    return 0;
  };
  const auto judged = [&] {
    return fs::exists(folder_ / "stdout") &&
           read_file(folder_ / "stdout").find("topic/same") != std::string::npos;
  };
  pid_t child = 0;
  for (int i = 0; i < 2000 && !((child = find_pid()) != 0 && judged()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_NE(child, 0);
  ::kill(process.pid(), SIGINT);
  const auto status = process.wait_for(std::chrono::seconds(30));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->exit_status(), 130);
  EXPECT_NE(::kill(child, 0), 0);
  const Json results = this->results();
  EXPECT_EQ(results.at("cases").size(), 1U);
  EXPECT_EQ(results.at("cases").at(0).at("name"), "topic/same");
  EXPECT_THAT(read_file(folder_ / "stderr"), HasSubstr("resume with: parity run --jobs 4"));
}

}  // namespace
}  // namespace parity::cli
