// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity repeat` and cases of relation `repeats`, on a trainer with planted defects: each is found and
// classified.
#include <gmock/gmock.h>
#include <sched.h>

#include "harness/base/processes/cores.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string trainer() {
  return places::build + "/bin/unsteady_trainer";
}

/// A defect, the options that show it, and what must be found.
struct Control {
  std::string name;  ///< of the defect
  std::string options;
  std::string recurrence;
  std::vector<std::string> words;  ///< of the sentence and what it looks like
};

/// Runs `parity` on a trainer with a planted defect.
class RepeatTest : public ProgramTest {
 protected:
  /// Whether a library can be loaded into the trainer. A sanitizer's must come before all others.
  bool can_preload() const { return Json::parse(parity("version --json").out).at("sanitizer") == ""; }
};

class ControlTest : public RepeatTest, public testing::WithParamInterface<Control> {};

TEST_P(ControlTest, Defect_IsFoundAndClassified) {
  const Control& control = GetParam();
  if ((control.name == "uninitialised" || control.name == "alignment") && !can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  const Outcome found =
      parity("repeat --json " + control.options + " -- " + trainer() + " " + control.name + " runs.txt");
  ASSERT_EQ(found.status, 1) << found.out << found.err;
  const Json record = read_json(found.out);
  const Json& finding = record.at("findings").at(0);
  const std::string text =
      finding.at("sentence").get<std::string>() + "; " + finding.at("looks_like").get<std::string>();
  // The repetition under threads has two: on two cores there are no others that could be asked.
  const bool nowhere_else = control.name == "threads" && core_count() <= 2;
  EXPECT_EQ(finding.at("recurrence"), nowhere_else ? "persistent_here" : control.recurrence) << text;
  const bool races = control.name == "race" || control.name == "atomic";  // two threads may agree once
  EXPECT_TRUE(races ? finding.at("step") >= 3 : finding.at("step") == 3) << text;
  for (const std::string& words : control.words)
    EXPECT_THAT(text, HasSubstr(words));
}

INSTANTIATE_TEST_SUITE_P(
    Defects, ControlTest,
    testing::Values(
        Control{"race",
                "",
                "nondeterministic",
                {"first in grad layer.weight at step",
                 "ours::add of layer gives a different result from the same inputs"}},
        Control{"atomic",
                "",
                "by_design",
                {"aten::scatter_add_", "the documentation of torch.use_deterministic_algorithms lists it"}},
        Control{"clock",
                "",
                "by_design",
                {"first in forward layer at step 3", "aten::normal_", "random numbers"}},
        Control{"flip",
                "--times 5",
                "transient",
                {"first in grad layer.weight at step 3", "1 of 512 elements, element 17, bit 21 (fraction)",
                 "gone in 6 further runs"}},
        Control{"uninitialised",
                "--under memory_pressure",
                "persistent_everywhere",
                {"under memory_pressure", "first in grad layer.weight at step 3",
                 "it reads memory that nobody wrote"}},
        Control{"threads", "--under threads", "persistent_everywhere", {"under threads"}},
        Control{"alignment", "--under other_alignment", "persistent_everywhere", {"under other_alignment"}}),
    [](const auto& each) { return each.param.name; });

class RepeatVerbTest : public RepeatTest {
 protected:
  std::string command(const std::string& defect = "none") const {
    return " -- " + trainer() + " " + defect + " runs.txt";
  }
};

TEST_F(RepeatVerbTest, SteadyRun_Is0) {
  const Outcome found = parity("repeat --times 4" + command());
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("3 of 3 repetitions of command have the bits of the first run"),
                    HasSubstr("1 channel and 3 tensors at steps 0-6"),
                    HasSubstr("3 clean repetitions exclude that more than 63.2 % of the runs differ")));
}

TEST_F(RepeatVerbTest, SteadyRunUnderStress_Is0) {
  if (!can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  const Outcome found = parity("repeat --times 6 --stress --json" + command());
  EXPECT_EQ(found.status, 0) << found.out << found.err;
  const Json clean = read_json(found.out).at("clean");
  for (const char* condition : {"none", "load", "memory_pressure", "other_cores", "other_alignment"})
    EXPECT_EQ(clean.value(condition, 0), 1) << condition;
}

TEST_F(RepeatVerbTest, TooFewForTheRate_Is3) {
  const Outcome found = parity("repeat --rate 0.01" + command());
  EXPECT_EQ(found.status, 3);
  EXPECT_THAT(found.out, HasSubstr("not proven: a rate of 1 % needs 299 clean repetitions"));
}

TEST_F(RepeatVerbTest, NextSession_Continues) {
  EXPECT_EQ(parity("repeat --times 3" + command()).status, 0);
  const Outcome found = parity("repeat --times 5 --json" + command());
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(read_json(found.out).at("repetitions"), 4);
  const Outcome other = parity("repeat --times 5" + command("threads"));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("begin anew with --fresh"));
  EXPECT_EQ(parity("repeat --times 3 --fresh" + command("threads")).status, 0);
}

TEST_F(RepeatVerbTest, CrashedRepetition_Is4) {
  const Outcome found = parity("repeat --times 5 --json" + command("crash"));
  EXPECT_EQ(found.status, 4) << found.err;
  const Json findings = read_json(found.out).at("findings");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.at(0).at("verdict"), "crashed");
  EXPECT_EQ(findings.at(0).at("repetition"), 2);
}

TEST_F(RepeatVerbTest, FailedFirstRun_IsItsExitCode) {
  const Outcome found = parity("repeat -- /bin/false");
  EXPECT_EQ(found.status, 4);
  EXPECT_THAT(found.err, HasSubstr("its first run did not finish"));
}

TEST_F(RepeatVerbTest, NaN_Is4) {
  const Outcome found = parity("repeat --times 3 -- " + trainer() + " nan");
  EXPECT_EQ(found.status, 4);
  EXPECT_THAT(found.err, HasSubstr("loss is NaN at step 3 of its first run"));
}

TEST_F(RepeatVerbTest, ConditionWithoutEffect_Is3) {
  if (!can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  // env itself loads the library; the trainer that it starts does not.
  const Outcome found = parity(
      "repeat --json --times 2 --under memory_pressure -- /usr/bin/env -u LD_PRELOAD " + trainer() + " none");
  EXPECT_EQ(found.status, 3) << found.out << found.err;
  EXPECT_THAT(read_json(found.out).at("findings").at(0).at("sentence").get<std::string>(),
              HasSubstr("condition memory_pressure had no effect"));
}

TEST_F(RepeatVerbTest, FaultyCore_IsPersistentHere) {
  cpu_set_t set;
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<int> cores;
  for (size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set))
      cores.push_back(static_cast<int>(core));
  if (cores.size() < 2)
    GTEST_SKIP() << "this process may use one core only";
  const Outcome found = parity("repeat --json --times 2 --under other_cores -- " + trainer() + " core " +
                               std::to_string(cores[1]));
  ASSERT_EQ(found.status, 1) << found.out << found.err;
  const Json finding = read_json(found.out).at("findings").at(0);
  EXPECT_EQ(finding.at("recurrence"), "persistent_here") << finding;
  EXPECT_THAT(finding.at("looks_like").get<std::string>(), HasSubstr("except on other cores"));
}

TEST_F(RepeatVerbTest, Kill_LosesNoRepetition) {
  Process soak = Process::spawn(spec("parity repeat --times 100000" + command()));
  const auto state = folder_ / "out/repeat/state.json";
  for (int i = 0; i < 600; ++i) {
    if (std::filesystem::exists(state) && read_json(read_file(state)).at("repetitions") >= 3)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  soak.stop(std::chrono::milliseconds(0));  // KILL
  const auto before = read_json(read_file(state)).at("repetitions").get<int64_t>();
  ASSERT_GE(before, 3);
  const Outcome found = parity("repeat --json --times " + std::to_string(before + 3) + command());
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(read_json(found.out).at("repetitions"), before + 2);
}

TEST_F(RepeatVerbTest, BadInput_Is2) {
  EXPECT_EQ(parity("repeat").status, 2);
  EXPECT_EQ(parity("repeat --times 1" + command()).status, 2);
  EXPECT_EQ(parity("repeat --for 8w" + command()).status, 2);
  EXPECT_EQ(parity("repeat --rate 2" + command()).status, 2);
  EXPECT_EQ(parity("repeat --under lod" + command()).status, 2);
  EXPECT_THAT(parity("repeat --under lod" + command()).err, HasSubstr("load"));
  EXPECT_EQ(parity("repeat --plant x" + command()).status, 2);
  EXPECT_EQ(parity("repeat no/such_case").status, 2);
}

/// A case with one arm and a check of its repetitions.
class RepeatsCaseTest : public RepeatTest {
 protected:
  void write(const std::string& defect, const std::string& more) const {
    write_case("twice",
               no_golden() + "[arms.x]\ncommand = [\"" + trainer() + "\", \"" + defect +
                   "\", \"{case_dir}/runs.txt\"]\n[[checks]]\narms = [\"x\"]\nrelation = \"repeats\"\n" +
                   "because = \"the test says so\"\n" + more);
  }
};

TEST_F(RepeatsCaseTest, SteadyArm_HoldsUnderEachCondition) {
  if (!can_preload())
    GTEST_SKIP() << "a sanitizer is preloaded already";
  write("none", "times = 2\nunder = [\"load\", \"memory_pressure\", \"other_cores\", \"other_alignment\"]\n");
  const Outcome found = parity("run topic/twice");
  EXPECT_EQ(found.status, 0) << found.out << found.err;
  const Json checks = results().at("cases").at(0).at("checks");
  std::vector<std::string> quantities;
  for (const Json& check : checks)
    if (check.at("relation") == "repeats") {
      quantities.push_back(check.at("quantity"));
      EXPECT_EQ(check.at("verdict"), "identical");
    }
  EXPECT_THAT(quantities, testing::ElementsAre("run", "run under load", "run under memory_pressure",
                                               "run under other_cores", "run under other_alignment"));
}

TEST_F(RepeatsCaseTest, Race_NamesRunOperatorAndClass) {
  write("race", "");
  const Outcome found = parity("run topic/twice");
  EXPECT_EQ(found.status, 1) << found.err;
  const Json check = results().at("cases").at(0).at("checks").at(0);
  EXPECT_EQ(check.at("verdict"), "different");
  EXPECT_EQ(check.at("measured").at("recurrence"), "nondeterministic");
  EXPECT_THAT(check.at("sentence").get<std::string>(),
              AllOf(HasSubstr("x does not repeat itself: of 3 runs"), HasSubstr("grad layer.weight at step"),
                    HasSubstr("ours::add of layer")));
  EXPECT_THAT(check.at("finding").at("next").get<std::string>(), HasSubstr("twice.toml:x --times 20"));
}

}  // namespace
}  // namespace parity::cli
