// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <functional>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// What --rerun-failed and report say about cases that did not run, and about results of several origins.
class HeldTest : public ProgramTest {
 protected:
  void edit(const std::string& out, const std::function<void(Json&)>& change) const {
    Json json = results(out);
    change(json);
    write_file(folder_ / out / "results.json", json.dump());
  }
};

TEST_F(HeldTest, ACaseThatNeverRan_IsRun) {
  write_different();
  EXPECT_EQ(parity("run topic/same").status, 0);
  const Outcome outcome = parity("run --rerun-failed topic/differ");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("passed in the last run")));
  EXPECT_THAT(judged(), ElementsAre("topic/differ"));
}

TEST_F(HeldTest, ATagOfACaseThatNeverRan_IsRun) {
  write_case("tagged", "tags = [\"special\"]\n" + no_golden() + copying_arm("first", "a") +
                           copying_arm("second", "b") + losses_identical());
  EXPECT_EQ(parity("run topic/same").status, 0);
  EXPECT_EQ(parity("run --rerun-failed --tag special").status, 1);
}

TEST_F(HeldTest, CasesThatHeld_AreCounted) {
  EXPECT_EQ(parity("run topic/same").status, 0);
  const Outcome outcome = parity("run --rerun-failed");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("passed in the last run, which judged 1"));
}

TEST_F(HeldTest, ACaseWhoseFileChanged_IsRun) {
  EXPECT_EQ(parity("run topic/same").status, 0);
  write_case("same",
             no_golden() + copying_arm("first", "a") + copying_arm("second", "b") + losses_identical());
  EXPECT_EQ(parity("run --rerun-failed topic/same").status, 1);
}

TEST_F(HeldTest, ACaseThatHeldWithAnotherSetting_IsRun) {
  EXPECT_EQ(parity("run topic/same --set width=3").status, 0);
  EXPECT_EQ(parity("run --rerun-failed topic/same").status, 0);
  EXPECT_EQ(results().at("cases").at(0).at("settings"), Json::array());
}

TEST_F(HeldTest, ASkippedCase_IsRunAgain) {
  EXPECT_EQ(parity("run topic/same").status, 0);
  edit("out/suite", [](Json& json) {
    Json& item = json["cases"][0];
    item["passed"] = false;
    item["skipped"] = "arm first: no GPU";
    item["checks"] = Json::array();
  });
  const Outcome outcome = parity("run --rerun-failed");
  EXPECT_THAT(outcome.err, Not(HasSubstr("passed in the last run")));
  EXPECT_EQ(results().at("summary").at("passed"), 1);
}

TEST_F(HeldTest, AnUnusedGolden_IsReportedAgain) {
  write_file(folder_ / "golden/topic/gone.h5", "no golden");
  EXPECT_EQ(parity("run").status, 3);
  const Outcome outcome = parity("run --rerun-failed");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, HasSubstr("unused goldens"));
  fs::remove(folder_ / "golden/topic/gone.h5");
  EXPECT_NE(parity("run --rerun-failed").status, 1);
}

TEST_F(HeldTest, AMissingShard_IsNotHeld) {
  write_case("other", no_golden() + copying_arm("x", "b") + copying_arm("y", "b") + losses_identical());
  EXPECT_EQ(parity("run --shard 1/2 --out out/s1").status, 0);
  EXPECT_EQ(parity("report out/s1 --out out/all").status, 3);
  const Outcome outcome = parity("run --rerun-failed --out out/all");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("shard 2 is missing"));
  EXPECT_EQ(parity("run --rerun-failed topic/other topic/same --out out/all").status, 0);
  EXPECT_EQ(judged("out/all").size(), 1U) << "the one that the missing shard has";
}

TEST_F(HeldTest, ShardsOfAnEditedCase_DoNotBelongTogether) {
  write_case("other", no_golden() + copying_arm("x", "b") + copying_arm("y", "b") + losses_identical());
  EXPECT_EQ(parity("run --shard 1/2 --out out/s1").status, 0);
  write_case("other", no_golden() + copying_arm("x", "a") + copying_arm("y", "b") + losses_identical());
  parity("run --shard 2/2 --out out/s2");
  const Outcome merged = parity("report out/s1 out/s2 --out out/all");
  EXPECT_EQ(merged.status, 2);
  EXPECT_THAT(merged.err, HasSubstr("shards of one suite belong together"));
}

TEST_F(HeldTest, AnEmptyShard_SaysSo) {
  const Outcome outcome = parity("run --shard 2/2 --out out/s2");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("shard 2/2 is empty: nothing to judge"));
  EXPECT_EQ(parity("run --rerun-failed --out out/s2").status, 3) << "nothing held there";
}

TEST_F(HeldTest, AFailedCaseWhoseChecksHold_FailsItsReport) {
  EXPECT_EQ(parity("run topic/same").status, 0);
  edit("out/suite", [](Json& json) { json["cases"][0]["passed"] = false; });
  EXPECT_EQ(parity("report out/suite").status, 1);
  EXPECT_THAT(read_file(folder_ / "out/suite/junit.xml"), HasSubstr("failures=\"1\""));
}

TEST_F(HeldTest, MixedResults_AreShownByEveryReport) {
  write_case("other", no_golden() + copying_arm("x", "b") + copying_arm("y", "b") + losses_identical());
  for (const char* shard : {"1", "2"})
    EXPECT_EQ(parity(std::string("run --out out/s") + shard + " --shard " + shard + "/2").status, 0);
  edit("out/s2", [](Json& json) { json["producer"]["commit"] = "of last year"; });
  const Outcome refused = parity("report out/s1 out/s2 --out out/all");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("commit"), HasSubstr("of last year"), HasSubstr("--mixed")));
  const Outcome mixed = parity("report out/s1 out/s2 --out out/all --mixed");
  EXPECT_EQ(mixed.status, 0);
  EXPECT_THAT(mixed.err, HasSubstr("of last year"));
  for (const char* report : {"index.html", "summary.md", "junit.xml"})
    EXPECT_THAT(read_file(folder_ / "out/all" / report),
                AllOf(HasSubstr("Mixed results"), HasSubstr("of last year")))
        << report;
}

TEST_F(HeldTest, CasesOfOneName_HaveReportsOfTheirOwn) {
  for (const char* name : {"one", "two"}) {
    fs::create_directories(folder_ / name);
    fs::copy_file(folder_ / "cases/topic" / (name == std::string("one") ? "a.h5" : "b.h5"),
                  folder_ / name / "t.h5");
    fs::copy_file(folder_ / "cases/topic/a.h5", folder_ / name / "a.h5");
    write_file(folder_ / name / "case.toml",
               no_golden() + "[arms.x]\ncommand = [\"sh\", \"-c\", \"cp {case_dir}/t.h5 $PARITY_TRACE\"]\n" +
                   "[arms.y]\ncommand = [\"sh\", \"-c\", \"cp {case_dir}/a.h5 $PARITY_TRACE\"]\n" +
                   losses_identical());
  }
  EXPECT_EQ(parity("run two/case.toml").status, 1);
  EXPECT_EQ(parity("run one/case.toml two/case.toml").status, 1);
  EXPECT_THAT(judged(), ElementsAre("one/case", "two/case"));
  EXPECT_EQ(parity("compare one/case:x one/case:y").status, 0);
  EXPECT_EQ(parity("compare two/case:x two/case:y").status, 1);
}

TEST_F(HeldTest, StepsBeyondAllReason_AreRefusedAtOnce) {
  write_file(folder_ / "t.schema.json", R"({"schema": "parity.config/1", "channels": ["loss"], "keys":
    {"steps": {"type": "integer", "default": 10}, "seed": {"type": "integer", "default": 1}}})");
  write_case("long", no_golden() + "[base]\nsteps = 900000000\n[arms.a]\n[arms.b]\nseed = 2\n[[checks]]\n" +
                         "tensor = \"*\"\nphase = \"grad\"\nrelation = \"identical\"\nbecause = \"x\"\n");
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = shell("env PARITY_TRAINER=./t timeout 20 parity list");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("steps = 900000000"), HasSubstr("PARITY_MAX_STEPS=N")));
  const Outcome raised = shell("env PARITY_TRAINER=./t PARITY_MAX_STEPS=1000000000 timeout 20 parity list");
  EXPECT_THAT(raised.out, HasSubstr("cannot capture grad * at 900000000 updates"));
}

}  // namespace
}  // namespace parity::cli
