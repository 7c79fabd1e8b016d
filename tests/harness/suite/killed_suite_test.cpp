// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <random>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/trace/read/trace.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

/// A suite that is killed again and again: remains are never taken for results.
class KilledSuiteTest : public SuiteTest {
 protected:
  std::vector<Case> cases() const {
    std::vector<Case> items;
    for (const char* name : {"one", "two", "three"}) {
      const std::vector<double> losses = {8.0, 7.0, name[0] == 't' ? 6.0 : 6.5};
      write_trace(std::string(name) + "_a", losses);
      write_trace(std::string(name) + "_b", losses);
      items.push_back(write_case(name, "[golden]\narms = []\n" + slow_arm("a", std::string(name) + "_a") +
                                           slow_arm("b", std::string(name) + "_b") + losses_identical()));
    }
    return items;
  }

  /// Copies its trace in two halves, so that a kill can come between them.
  static std::string slow_arm(const std::string& name, const std::string& trace) {
    return "[arms." + name + "]\ncommand = [\"/bin/sh\", \"-c\", '''head -c 3000 {case_dir}/" + trace +
           ".h5 > {run_dir}/trace.h5; sleep 0.03; cp {case_dir}/" + trace +
           ".h5 {run_dir}/trace.h5''']\ninputs = [\"" + trace + ".h5\"]\n";
  }

  /// Runs the suite in a child and kills it after so many microseconds. \return whether it was still running
  bool run_and_kill(const std::vector<Case>& items, unsigned long microseconds) const {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        run(items);
      } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::usleep(static_cast<unsigned>(microseconds));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }

  /// Every run that counts as finished has a trace that can be read to its end.
  void expect_finished_runs_whole() const {
    if (!fs::exists(folder_ / "out/runs"))
      return;
    for (const auto& entry : fs::directory_iterator(folder_ / "out/runs")) {
      if (!fs::exists(entry.path() / "run.json"))
        continue;
      const Json record = Json::parse(read_file(entry.path() / "run.json"));
      EXPECT_EQ(record.at("status"), "complete");
      EXPECT_EQ(trace::Trace::open(entry.path() / "trace.h5").last_step(), 3);
    }
  }
};

TEST_F(KilledSuiteTest, AnyMomentIsAGoodOneToBeKilled) {
  const std::vector<Case> items = cases();
  std::mt19937 random(1);  // NOLINT: moments, repeatable
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    killed += run_and_kill(items, 1000 + random() % 60'000) ? 1 : 0;
    expect_finished_runs_whole();
    if (i % 7 == 6)
      fs::remove_all(folder_ / "out/runs");  // start over, so that a kill has something to interrupt
  }
  EXPECT_GT(killed, 10);
  const Json results = run(items);
  EXPECT_EQ(results.at("summary").at("passed"), 3) << results.at("summary");
  EXPECT_EQ(run(items).at("summary").at("runs_cached"), 6);
  for (const auto& entry : fs::directory_iterator(folder_ / "out"))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::EndsWith(".tmp")));
}

TEST_F(KilledSuiteTest, ATraceThatWasCutOrDamagedSinceIsRunAgain) {
  const std::vector<Case> items = cases();
  run(items);
  const auto damage = [&](const auto& change) {
    for (const auto& entry : fs::directory_iterator(folder_ / "out/runs"))
      change(entry.path() / "trace.h5");
    const Json results = run(items);
    EXPECT_EQ(results.at("summary").at("runs_cached"), 0);
    EXPECT_EQ(results.at("summary").at("passed"), 3);
  };
  damage([](const fs::path& trace) { fs::resize_file(trace, 2000); });
  damage([](const fs::path& trace) { fs::remove(trace); });
  damage([](const fs::path& trace) { write_file(trace, "nonsense"); });
  EXPECT_EQ(run(items).at("summary").at("runs_cached"), 6);
}

}  // namespace
}  // namespace parity::suite
