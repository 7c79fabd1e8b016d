// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What a case asks of its runs (steps, ranks, tensors) is checked in their traces, whatever these contain.
#include <gmock/gmock.h>

#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CoverageOfRunsTest : public SuiteTest {
 protected:
  static std::string head(const std::string& more = "") { return more + "[golden]\narms = []\n"; }
  static std::string curves(size_t count) { return "cut" + std::to_string(count); }

  /// A trace of the first `count` steps.
  void write_cut(size_t count) const {
    std::vector<double> losses = falling_losses();
    losses.resize(count);
    write_trace(curves(count), losses);
  }
  void write_with_python(const std::string& lines) const {
    const CommandResult result =
        run_python(folder_, "import h5py, numpy as np, os, sys\nos.chdir(sys.argv[1])\n" + lines,
                   (folder_ / "cases/topic").string());
    ASSERT_EQ(result.status, 0) << result.output;
  }
  Json judged(const std::string& text) const { return run({write_case("c", text)}).at("cases").at(0); }
  static std::string failure(const Json& item, size_t arm) {
    const Json& found = item.at("arms").at(arm).at("failure");
    return found.is_null() ? "" : found.at("message").get<std::string>();
  }
};

TEST_F(CoverageOfRunsTest, BothArmsStopEarly_IsNoPass) {
  write_cut(7);
  write_cut(10);
  const std::string arms = copying_arm("a", curves(7)) + copying_arm("b", curves(7)) + losses_identical();
  const Json item = judged(head("[base]\nsteps = 10\n") + arms);
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_EQ(item.at("arms").at(0).at("failure").at("kind"), "bad_trace");
  EXPECT_THAT(failure(item, 0), AllOf(HasSubstr("started for steps 1-10"), HasSubstr("lacks steps 8-10")));
  EXPECT_THAT(failure(judged(head("[base]\nsteps = 6\n") + arms), 0), HasSubstr("also has step 7"));
}

TEST_F(CoverageOfRunsTest, ResultsShowTheCounts) {
  write_cut(10);
  write_trace("other", falling_losses());
  const Json item = judged(head("[base]\nsteps = 10\n") + copying_arm("a", curves(10)) +
                           copying_arm("b", "other") + losses_identical());
  ASSERT_TRUE(item.at("passed").get<bool>()) << item.at("sentence");
  const Json& coverage = item.at("checks").at(0).at("coverage");
  EXPECT_EQ(coverage.at("text"), "1 channel at steps 1-10");
  EXPECT_EQ(coverage.at("sides").at(1).at("asked"), coverage.at("sides").at(1).at("compared"));
  EXPECT_EQ(coverage.at("sides").at(0).at("ranks"), Json({{"asked", 1}, {"found", 1}}));
}

TEST_F(CoverageOfRunsTest, ATraceOfRankZeroAlone_IsRefused) {
  write_cut(10);
  const auto item = [&](const std::string& script) {
    return judged(head() + copying_arm("a", curves(10)) + shell_arm("b", script) + "ranks = 2\n" +
                  losses_identical());
  };
  const std::string each =
      "cp {case_dir}/cut10.h5 $PARITY_TRACE";  // each rank a plain trace, rank 1's unread
  for (const std::string& script : {each, "[ $RANK = 1 ] || " + each}) {
    const Json found = item(script);
    EXPECT_FALSE(found.at("passed").get<bool>());
    EXPECT_THAT(failure(found, 1),
                AllOf(HasSubstr("was started with 2 ranks"), HasSubstr("joined_ranks = 2")));
  }
}

TEST_F(CoverageOfRunsTest, AJoinedTraceSaysOfHowManyRanks) {
  write_cut(10);
  write_with_python(
      "import shutil\nfor n in (2, 3):\n  shutil.copy('cut10.h5', f'joined{n}.h5')\n"
      "  with h5py.File(f'joined{n}.h5', 'r+') as f: \n    f.attrs['joined_ranks'], f.attrs['schema'] = n, "
      "'parity.trace/1.1'\n    del f.attrs['digest']\n");
  const auto item = [&](const std::string& trace) {
    return judged(head() + copying_arm("a", curves(10)) +
                  shell_arm("b", "[ $RANK = 1 ] || cp {case_dir}/" + trace + ".h5 $PARITY_TRACE") +
                  "ranks = 2\n" + losses_identical());
  };
  EXPECT_TRUE(item("joined2").at("passed").get<bool>()) << item("joined2").dump();
  EXPECT_FALSE(item("joined3").at("passed").get<bool>());
}

/// Both keep the tensor at step 1, and the check is about all ten.
TEST_F(CoverageOfRunsTest, TensorsAtOneOfTenSteps_AreMissing) {
  write_cut(10);
  write_with_python(
      "import shutil\nfor n in 'ab':\n  shutil.copy('cut10.h5', n + '.h5')\n"
      "  with h5py.File(n + '.h5', 'r+') as f: \n    f['tensors/1/param/w/0'] = np.ones(4, 'f4')\n    "
      "f.attrs['schema'] = 'parity.trace/1.0'\n    del f.attrs['digest']\n"
      "  with h5py.File(n + '.h5', 'r+') as f: f.attrs['note'] = n\n");
  const auto verdict = [&](const std::string& steps) {
    const Json item = judged(head("[base]\nsteps = 10\n") + copying_arm("a", "a") + copying_arm("b", "b") +
                             "[[checks]]\ntensor = \"*\"\nphase = \"param\"\nrelation = \"identical\"\n" +
                             steps + "because = \"x\"\n");
    return item.at("checks").at(0);
  };
  EXPECT_EQ(verdict("").at("verdict"), "missing");
  EXPECT_EQ(verdict("").at("sentence"),
            "a has no param w at steps 2-10 (the check needs steps 1-10); record all of it");
  EXPECT_EQ(verdict("steps = [1, 10]\n").at("verdict"), "missing");
  EXPECT_EQ(verdict("steps = [1, 1]\n").at("verdict"), "identical");
}

TEST_F(CoverageOfRunsTest, DamagedFloorsAreNotUsed) {
  write_cut(10);
  std::vector<double> far = falling_losses();
  for (double& loss : far)
    loss *= 1.5;
  write_trace("far", far);
  const Case item =
      write_case("c", head() + copying_arm("a", curves(10)) + copying_arm("b", "far") +
                          "[[checks]]\nchannel = \"loss\"\nrelation = \"bounded\"\nbecause = \"x\"\n");
  compare::Floors floors;
  floors.kinds = {"twin"};
  for (const char* arm : {"a", "b"})
    for (int64_t step = 1; step <= 10; ++step)
      floors.arms[arm].rows.push_back({"loss", step, 8, {1e-6}});
  std::filesystem::create_directories(item.golden_file.parent_path());
  golden::record_floors(item.golden_file, {"topic/c", "parity", "c", "x"}, floors);
  const auto check = [&] { return run({item}).at("cases").at(0).at("checks").at(0); };
  EXPECT_EQ(check().at("verdict"), "different");
  write_with_python("with h5py.File('" + item.golden_file.string() +
                    "', 'r+') as f:\n  for a in 'ab': f['floors/arms'][a]['noise'][...] = 1e3\n");
  EXPECT_EQ(check().at("verdict"), "missing");
  EXPECT_THAT(check().at("sentence").get<std::string>(), HasSubstr("edited or damaged"));
}

}  // namespace
}  // namespace parity::suite
