// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What `parity` does in a GitHub workflow, and nowhere else.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class GithubTest : public ProgramTest {
 protected:
  /// As in a step of a workflow whose summary goes to FOLDER/step.md.
  Outcome in_workflow(const std::string& words) const {
    return shell("env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=step.md GITHUB_WORKSPACE='" + folder_.string() +
                 "' parity " + words);
  }
};

TEST_F(GithubTest, Failure_IsAnnotatedAtLineSummaryAppended) {
  write_different();
  write_file(folder_ / "step.md", "before\n");
  const Outcome outcome = in_workflow("run --no-cache");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("::error file=cases/topic/differ.toml,line="),
                                 HasSubstr("title=topic/differ%3A loss identical")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("::error")));
  const std::string summary = read_file(folder_ / "step.md");
  EXPECT_THAT(summary, StartsWith("before\n## ❌ 1 of 2 cases fails"));
  EXPECT_EQ(summary, "before\n" + read_file(folder_ / "out/suite/summary.md") + "\n");
}

TEST_F(GithubTest, TheLineIsThatOfTheCheck) {
  write_different();
  const std::string text = read_file(folder_ / "cases/topic/differ.toml");
  const auto before =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("[[checks]]")), '\n');
  EXPECT_THAT(in_workflow("run").err, HasSubstr("differ.toml,line=" + std::to_string(before + 1) + ","));
}

TEST_F(GithubTest, AnnotationPathStartsAtTheWorkspace) {
  write_different();
  const std::string above = folder_.parent_path().string(), name = folder_.filename().string();
  const Outcome outcome = shell("env GITHUB_ACTIONS=true GITHUB_WORKSPACE='" + above + "' parity run");
  EXPECT_THAT(outcome.err, HasSubstr("::error file=" + name + "/cases/topic/differ.toml,line="));
}

TEST_F(GithubTest, ASuiteThatHoldsIsOnlySummed) {
  const Outcome outcome = in_workflow("run");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, Not(HasSubstr("::error")));
  EXPECT_THAT(read_file(folder_ / "step.md"), StartsWith("## ✅ The case holds"));
}

TEST_F(GithubTest, ASummaryWithoutRoomIsLeftOutAndSaidSo) {
  write_file(folder_ / "step.md", std::string(1024 * 1024 - 10, 'x'));
  const Outcome outcome = in_workflow("run");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("cannot add summary.md"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "step.md"), 1024 * 1024 - 10);
}

TEST_F(GithubTest, UnwritableSummary_KeepsTheExitStatus) {
  const Outcome outcome =
      shell("env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=/no/such/folder/step.md parity run");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("cannot append to the job summary"));
}

TEST_F(GithubTest, ElsewhereNothingHappens) {
  write_different();
  const Outcome outcome = shell("env GITHUB_STEP_SUMMARY=step.md parity run");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, Not(HasSubstr("::error")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "step.md"));
}

TEST_F(GithubTest, ReportDrawsPlotsWhenAsked) {
  if (shell("gnuplot --version").status != 0)
    GTEST_SKIP() << "needs gnuplot, found none";
  parity("run");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/suite/plots"));
  EXPECT_EQ(parity("report out/suite --plots").status, 0);
  EXPECT_THAT(read_file(folder_ / "out/suite/plots/plots.md"), HasSubstr("(topic-same-loss.png)"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/suite/plots/topic-same-loss.svg"));
}

TEST_F(GithubTest, NoGnuplot_OnlyPlotsAreMissing) {
  parity("run");
  const Outcome outcome = shell("env PATH=\"${PATH%%:*}\" parity report out/suite --plots");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("apt-get install gnuplot-nox"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/suite/index.html"));
}

}  // namespace
}  // namespace parity::cli
