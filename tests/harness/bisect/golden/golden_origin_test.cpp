// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/golden_file.hpp"
#include "tests/harness/bisect/commits/commits_fixture.hpp"

namespace parity::bisect {
namespace {

using cli::ProgramTest;

using testing::AllOf;
using testing::HasSubstr;

/// The generated repository has a case whose arms copy its own trace, and its golden.
class GoldenOriginTest : public CommitsTest {
 protected:
  void SetUp() override {
    CommitsTest::SetUp();
    const std::string arm = "]\ncommand = [\"cp\", \"{worktree}/run.h5\", \"{run_dir}/trace.h5\"]\n";
    std::filesystem::create_directories(repository() / "cases/topic");
    commit("first", {{".gitignore", "out\n"},
                     {"cases/topic/c.toml", "[arms.a" + arm + "[arms.b" + arm + losses_identical()},
                     {"run.h5", read_file(folder_ / "cases/topic/a.h5")}});
  }
  void record() const {
    const cli::Outcome outcome = parity("golden record " + file());
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
  void move_the_numbers() const {
    commit("moves the numbers", {{"run.h5", read_file(folder_ / "cases/topic/big.h5")}});
  }
  static std::string file() { return "repo/cases/topic/c.toml"; }
  Json searched() const {
    const cli::Outcome outcome = parity("bisect golden " + file() + ":a --json");
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    return Json::parse(outcome.out);
  }
  Json commits_of(const Json& record) const { return stage(record, "commits"); }
};

TEST_F(GoldenOriginTest, ItsLineFindsTheCommitThatMovedTheNumbers) {
  record();
  const std::string good = commit("the golden");
  commit("notes", {{"notes", "1\n"}});
  move_the_numbers();
  commit("more notes", {{"notes", "2\n"}});
  const Json found = commits_of(searched());
  EXPECT_THAT(
      found.at("answer").get<std::string>(),
      AllOf(HasSubstr("c.h5 was committed in " + good.substr(0, 10) + " (\"the golden\")"),
            HasSubstr("which is not in the history of this repository"), HasSubstr("3 commits since then")));
  const std::string line = found.at("command");
  EXPECT_THAT(line, AllOf(HasSubstr("parity bisect commits " + good.substr(0, 10) + " HEAD --case " + file()),
                          HasSubstr("--arm a"), HasSubstr("--repository")));
  const cli::Outcome outcome = shell(line);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("moves the numbers"));
}

TEST_F(GoldenOriginTest, AChangeThatIsNotCommittedIsLookedAtAsOne) {
  record();
  commit("the golden");
  write_file(repository() / "run.h5", read_file(folder_ / "cases/topic/big.h5"));
  const Json found = commits_of(searched());
  EXPECT_THAT(found.at("answer").get<std::string>(), HasSubstr("the cause is an uncommitted change"));
  EXPECT_THAT(found.at("command").get<std::string>(), HasSubstr("diff HEAD"));
  EXPECT_THAT(shell(found.at("command")).out, HasSubstr("run.h5"));
}

TEST_F(GoldenOriginTest, UncommittedGolden_UsesItsRecordingProgram) {
  record();
  move_the_numbers();  // with the golden
  const std::filesystem::path golden = repository() / "golden/topic/c.h5";
  std::filesystem::copy_file(golden, folder_ / "kept.h5");
  git("rm -q --cached golden/topic/c.h5 && git commit -q -m 'no golden'");
  const Json found = commits_of(searched());
  EXPECT_THAT(found.at("answer").get<std::string>(), HasSubstr("no commit is known to reproduce it"));
  EXPECT_EQ(found.at("command"), "");
  // As if that program belonged to this repository.
  const std::string id = git("rev-list --max-parents=0 HEAD");
  golden::Golden stored = golden::read_golden(golden);
  stored.origin.commit = id.substr(0, 12);
  write_golden(golden, stored);
  EXPECT_THAT(commits_of(searched()).at("command").get<std::string>(),
              HasSubstr("parity bisect commits " + id.substr(0, 10) + " HEAD"));
}

TEST_F(GoldenOriginTest, CommandsIndependentOfCommit_GiveNoSearch) {
  const std::string arm = "]\ncommand = [\"cp\", \"" + store() + "/moved.h5\", \"{run_dir}/trace.h5\"]\n";
  write_trace("moved", falling_losses());
  commit("other arms", {{"cases/topic/c.toml", "[arms.a" + arm + "[arms.b" + arm + losses_identical()}});
  record();
  commit("the golden");
  commit("notes", {{"notes", "1\n"}});
  std::vector<double> other = falling_losses();
  other[1] = 1;
  write_trace("moved", other);
  const Json found = commits_of(searched());
  EXPECT_EQ(found.at("command"), "");
  EXPECT_THAT(found.at("answer").get<std::string>(), HasSubstr("names {worktree}"));
}

TEST_F(ProgramTest, BisectGoldenIsAVerbWithStatusesOfItsOwn) {
  write_case("golden", copying_arm("a", "a") + copying_arm("b", "a") + losses_identical());
  EXPECT_EQ(parity("bisect golden topic/golden").status, 3);
  EXPECT_EQ(parity("golden record topic/golden").status, 0);
  const cli::Outcome same = parity("bisect golden topic/golden");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("a and b do not differ from their golden"));
  EXPECT_THAT(same.out, HasSubstr("0 runs executed")) << "the runs are those of the suite";
  EXPECT_EQ(parity("bisect golden topic/golden:c").status, 2);
  EXPECT_THAT(parity("bisect golden topic/goldne").err, HasSubstr("did you mean 'topic/golden'?"));
  EXPECT_THAT(parity("bisect golden").err, HasSubstr("see: parity bisect golden --help"));
}

}  // namespace
}  // namespace parity::bisect
