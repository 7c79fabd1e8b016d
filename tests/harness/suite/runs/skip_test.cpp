// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/suite/plan/identity/machine.hpp"
#include "harness/suite/rerun.hpp"
#include "harness/suite/results/case_results.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* reason =
    R"(device = "cuda" needs a GPU (there is no NVIDIA driver); set device = "cpu")";

/// A trainer that has no "cuda" device, and otherwise leaves a trace.
class SkipTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("good", falling_losses());
    std::vector<double> other = falling_losses();
    other[3] = 7.5;
    write_trace("other", other);
    const fs::path trainer = folder_ / "no-trainer-needed";
    write_file(fs::path(trainer.string() + ".schema.json"),
               R"({"schema": "parity.config/1", "channels": ["loss", "lr", "update_norm"], "keys": {
  "steps": {"type": "integer", "default": 10},
  "threads": {"type": "integer", "default": 1},
  "dtype": {"type": "string", "default": "float32", "values": ["float32", "float64"]},
  "device": {"type": "string", "default": "cpu", "values": ["cpu", "cuda"]}}})");
    write_trainer("echo '{\"step\": 0, \"phase\": \"device\"}' > \"$PARITY_HEARTBEAT\"");
  }

  /// \param before  lines that run before it ends with status 3
  void write_trainer(const std::string& before, int status = 3) const {
    const fs::path trainer = folder_ / "no-trainer-needed";
    write_file(trainer, "#!/bin/sh\nif grep -q '\"cuda\"' \"$PARITY_CONFIG\"; then\n" + before +
                            "\necho 'parity-train: " + reason + "' >&2\nexit " + std::to_string(status) +
                            "\nfi\ncp '" + (folder_ / "cases/topic/good.h5").string() +
                            "' \"$PARITY_TRACE\"\n");
    fs::permissions(trainer, fs::perms::owner_all);
  }

  Case on_device(const std::string& golden = "[golden]\narms = []\n", const std::string& more = "") const {
    return write_case("device", golden + "[arms.cpu]\n[arms.cuda]\ndevice = \"cuda\"\n" + more +
                                    losses_identical() + "arms = [\"cpu\", \"cuda\"]\n");
  }
  Case on_cpu(const std::string& second) const {
    return write_case("cpu_" + second, "[golden]\narms = []\n" + copying_arm("first", "good") +
                                           copying_arm("second", second) + losses_identical());
  }
  Json run_one(const Case& item) const { return run({item}).at("cases").at(0); }
};

TEST_F(SkipTest, MissingPackage_SkipsCaseBeforeAnyOfItsProgramsStarts) {
  write_file(folder_ / "cases/topic/venv/bin/python", "");
  const Case item = write_case(
      "packages",
      "[golden]\narms = []\n[python]\nvenv = \"venv\"\nmake = \"make it\"\npackages = [\"torch\"]\n"
      "[arms.first]\ncommand = [\"{python}\", \"train.py\"]\n"
      "[arms.second]\ncommand = [\"no-such-program\"]\n" +
          losses_identical());
  const Json result = run_one(item);
  EXPECT_THAT(result.at("sentence").get<std::string>(), HasSubstr("its Python lacks torch"));
  for (const Json& arm : result.at("arms"))
    EXPECT_EQ(arm.at("status"), "skipped") << arm.at("name");
}

TEST_F(SkipTest, MissingDevice_SkipsCaseWithReason) {
  const Json results = run({on_device(), on_cpu("good")});
  const Json& item = results.at("cases").at(0);
  EXPECT_EQ(item.at("skipped"), std::string("arm cuda: ") + reason);
  EXPECT_EQ(item.at("verdict"), "skipped");
  EXPECT_EQ(item.at("sentence"), std::string("skipped: arm cuda: ") + reason);
  EXPECT_FALSE(item.at("passed"));
  EXPECT_TRUE(item.at("checks").empty());
  EXPECT_EQ(item.at("arms").at(0).at("status"), "complete");
  EXPECT_EQ(item.at("arms").at(1).at("status"), "skipped");
  EXPECT_EQ(results.at("summary").at("skipped"), 1);
  EXPECT_EQ(results.at("summary").at("passed"), 1);
  EXPECT_EQ(results.at("summary").at("failed"), 0);
  EXPECT_EQ(exit_code_of(results), ExitCode::agree);
}

TEST_F(SkipTest, WhereNothingElseWasAskedForSomethingIsMissing) {
  EXPECT_EQ(exit_code_of(run({on_device()})), ExitCode::missing);
}

TEST_F(SkipTest, WhatFailsBesideItStillFails) {
  const Json results = run({on_device(), on_cpu("other")});
  EXPECT_EQ(exit_code_of(results), ExitCode::differ);
  EXPECT_EQ(results.at("summary").at("failed"), 1);
  const LastRun last = last_run(folder_ / "out");
  EXPECT_TRUE(last.held.empty());
  ASSERT_EQ(last.open.size(), 2U) << "a skipped case did not hold either";
  EXPECT_EQ(last.open[1].name, "topic/cpu_other");
}

TEST_F(SkipTest, AnotherThingThatIsMissingIsAFailure) {
  write_trainer("echo '{\"step\": 0, \"phase\": \"build\"}' > \"$PARITY_HEARTBEAT\"");
  const Json item = run_one(on_device());
  EXPECT_FALSE(item.contains("skipped"));
  EXPECT_EQ(item.at("arms").at(1).at("failure").at("kind"), "missing");
}

TEST_F(SkipTest, ACrashWhileTheDeviceIsSoughtIsAFailure) {
  write_trainer("echo '{\"step\": 0, \"phase\": \"device\"}' > \"$PARITY_HEARTBEAT\"", 70);
  const Json item = run_one(on_device());
  EXPECT_FALSE(item.contains("skipped"));
  EXPECT_EQ(item.at("arms").at(1).at("failure").at("kind"), "crashed");
}

TEST_F(SkipTest, OtherFailure_IsNotHiddenByMissingDevice) {
  const Json item = run_one(on_device("[golden]\narms = []\n", shell_arm("bad", "echo planted >&2; exit 7")));
  EXPECT_FALSE(item.contains("skipped"));
  EXPECT_FALSE(item.at("passed"));
  EXPECT_THAT(item.at("arms").at(2).at("failure").at("message").get<std::string>(), HasSubstr("planted"));
}

TEST_F(SkipTest, NoGoldenIsRecorded) {
  const Case item = on_device("");
  run({item}, golden::GoldenMode::create_missing);
  EXPECT_FALSE(fs::exists(item.golden_file));
}

TEST_F(SkipTest, MissingEnvironment_SkipsCaseWithItsCommand) {
  const std::string arm = "command = [\"{python}\", \"{case_dir}/train.py\"]\ninputs = [\"train.py\"]\n";
  write_file(folder_ / "cases/topic/train.py", "raise SystemExit(7)\n");
  const Case item =
      write_case("needs", "[golden]\narms = []\n[python]\nvenv = \"env\"\nmake = \"make env\"\n[arms.one]\n" +
                              arm + "[arms.other]\nother = 1\n" + arm + losses_identical());
  const Json skipped = run({item, on_cpu("good")});
  EXPECT_THAT(skipped.at("cases").at(0).at("skipped").get<std::string>(),
              HasSubstr("cases/topic/env/bin/python); make it with: make env"));
  EXPECT_EQ(exit_code_of(skipped), ExitCode::agree);
  EXPECT_EQ(exit_code_of(run({item})), ExitCode::missing);
  fs::create_directories(folder_ / "cases/topic/env/bin");
  fs::create_symlink("/usr/bin/python3", folder_ / "cases/topic/env/bin/python");
  const Json found = run_one(item);
  EXPECT_FALSE(found.contains("skipped"));
  EXPECT_THAT(found.at("arms").at(0).at("failure").at("message").get<std::string>(), HasSubstr("status 7"));
}

TEST_F(SkipTest, NoDriver_IsAnsweredFromTheCache) {
  if (!gpu_facts().empty())
    GTEST_SKIP() << "this machine has a GPU's driver";
  write_trainer("echo started >> '" + (folder_ / "starts").string() +
                "'\necho '{\"step\": 0, \"phase\": \"device\"}' > \"$PARITY_HEARTBEAT\"");
  const Json first = run_one(on_device()), again = run_one(on_device());
  EXPECT_EQ(read_file(folder_ / "starts"), "started\n");
  EXPECT_EQ(again.at("skipped"), first.at("skipped"));
  write_file(folder_ / "libparity-cuda.so", "another plug-in");
  EXPECT_TRUE(run_one(on_device()).contains("skipped"));
  EXPECT_EQ(read_file(folder_ / "starts"), "started\nstarted\n");
}

TEST_F(SkipTest, DamagedRecord_StartsAgain) {
  EXPECT_TRUE(run_one(on_device()).contains("skipped"));
  for (const auto& entry : fs::directory_iterator(folder_ / "out/runs")) {
    Json record = read_json(read_file(entry.path() / "run.json"));
    if (record.contains("failure"))
      record["failure"] = {{"kind", "nonsense"}};
    write_file(entry.path() / "run.json", record.dump());
  }
  EXPECT_TRUE(run_one(on_device()).contains("skipped"));
}

TEST_F(SkipTest, DevicePresentNextTime_RunsDespiteCache) {
  EXPECT_TRUE(run_one(on_device()).contains("skipped"));
  write_trainer("exec cp '" + (folder_ / "cases/topic/good.h5").string() + "' \"$PARITY_TRACE\"");
  const Json item = run_one(on_device());
  EXPECT_FALSE(item.contains("skipped"));
  EXPECT_TRUE(item.at("passed"));
}

}  // namespace
}  // namespace parity::suite
