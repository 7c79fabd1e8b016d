// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/base/files/file.hpp"
#include "harness/results/read_case.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/run_suite.hpp"
#include "harness/trace/write/recorder.hpp"

namespace parity::suite {

/// A folder of its own for each test, with traces that command arms copy into place instead of training.
class SuiteTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "suite_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(folder_ / "cases/topic");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::vector<double> falling_losses() {
    return {8.0, 7.75, 7.5, 7.25, 7.0, 6.75, 6.5, 6.25, 6.0, 5.75};
  }

  /// cases/topic/NAME.h5 with channels loss and lr.
  void write_trace(const std::string& name, const std::vector<double>& losses, double lr = 0.5,
                   const Json& provenance = Json::object()) const {
    trace::Recorder recorder({folder_ / "cases/topic" / (name + ".h5"), Json::object(), provenance, {}, 0});
    for (size_t i = 0; i < losses.size(); ++i) {
      recorder.begin_step(static_cast<int64_t>(i) + 1);
      recorder.channel("loss", losses[i]);
      recorder.channel("lr", i == 0 ? lr : 0.5);
      recorder.channel("update_norm", i == 0 && lr == 0 ? 0.0 : 1.0);
      recorder.end_step();
    }
    recorder.finish();
  }
  /// Writes two of them, "a" and "b", whose losses diverge at step 4.
  void write_two_traces(double lr_of_b = 0.5) const {
    write_trace("a", falling_losses());
    std::vector<double> other = falling_losses();
    other[3] = 7.5;
    write_trace("b", other, lr_of_b);
  }

  /// An [arms.NAME] table whose command copies a trace into place. Its config has its name, so that two such
  /// arms are two runs.
  static std::string copying_arm(const std::string& name, const std::string& trace) {
    return "[arms." + name + "]\ncommand = [\"cp\", \"{case_dir}/" + trace +
           ".h5\", \"{run_dir}/trace.h5\"]\n" + "inputs = [\"" + trace + ".h5\"]\n" + "label = \"" + name +
           "\"\n";
  }

  static std::string shell_arm(const std::string& name, const std::string& script) {
    return "[arms." + name + "]\ncommand = [\"/bin/sh\", \"-c\", '''" + script + "''']\n";
  }

  static std::string losses_identical() {
    return "[[checks]]\nchannel = \"loss\"\nrelation = \"identical\"\nbecause = \"the test says so\"\n";
  }

  Case write_case(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = folder_ / "cases/topic" / (name + ".toml");
    write_file(file, text);
    return read_case(file);
  }

  /// \return results.json
  Json run(
      const std::vector<Case>& cases, golden::GoldenMode mode = golden::GoldenMode::compare,
      bool use_cache = true, EvidenceMode evidence = EvidenceMode::stored,
      const CaseListener& listener = [](const results::Case&) {}) const {
    SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "no-trainer-needed";
    options.jobs = 2;
    options.use_cache = use_cache;
    options.golden_mode = mode;
    options.evidence = evidence;
    options.producer = {{"name", "parity"}, {"version", "0"}, {"commit", "test"}, {"dirty", false}};
    options.command = {"parity", "run"};
    Progress progress(stderr, false);
    run_suite(cases, options, progress, listener);
    return Json::parse(read_file(options.out / "results.json"));
  }

  /// Returns the exit code of a suite with these results.
  static ExitCode exit_code_of(const Json& suite) {
    std::vector<CaseOutcome> cases;
    for (const Json& item : suite.at("cases"))
      cases.push_back(outcome_of(results::read_case(item)));
    return suite::exit_code_of(cases, suite.contains("shard") ? Part::shard : Part::whole);
  }

  std::filesystem::path folder_;
};

}  // namespace parity::suite
