// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using GoldenRecordTest = GoldenTest;

TEST_F(GoldenRecordTest, Record_KeepsChannelsAndFirstAndLastSketches) {
  EXPECT_TRUE(record());
  const Golden golden = read_golden(file);
  EXPECT_TRUE(golden.intact());
  EXPECT_EQ(golden.origin.case_name, "lr/warmup");
  EXPECT_EQ(golden.origin.commit, "c1");
  const GoldenArm& arm = golden.arms.at("one_indexed");
  EXPECT_THAT(arm.run.steps, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(arm.run.channels.size(), 2U) << "no timing channel";
  EXPECT_EQ(std::get<0>(arm.run.channels.at("loss").values), falling_curve(4));
  EXPECT_TRUE(std::holds_alternative<std::vector<int64_t>>(arm.run.channels.at("batch_digest").values));
  ASSERT_EQ(arm.sketches.size(), 4U) << "grad and param at steps 1 and 4";
  for (const trace::SketchRow& row : arm.sketches) {
    EXPECT_TRUE(row.key.step == 1 || row.key.step == 4);
    EXPECT_NE(row.key.phase, trace::Phase::forward);
    EXPECT_EQ(row.values.size(), 64U);
  }
  ASSERT_TRUE(arm.twin);
  EXPECT_EQ(arm.config["lr"]["base"], 0.001);
  EXPECT_EQ(arm.fingerprint["cpu_vendor"], "AuthenticAMD");
}

TEST_F(GoldenRecordTest, LeavesAnEqualFileUntouchedWhateverTheCommit) {
  record("c1");
  const std::string bytes = read_file(file);
  const auto long_ago = std::filesystem::last_write_time(file) - std::chrono::hours(1);
  std::filesystem::last_write_time(file, long_ago);
  add_arm("one_indexed", run_of("GenuineIntel"));  // the same bits from another machine
  EXPECT_FALSE(record("c2"));
  EXPECT_EQ(read_file(file), bytes);
  EXPECT_EQ(std::filesystem::last_write_time(file), long_ago);
}

TEST_F(GoldenRecordTest, GivesEqualBytesForEqualContentAndOrigin) {
  record();
  const std::string bytes = read_file(file);
  std::filesystem::remove(file);
  record();
  EXPECT_EQ(read_file(file), bytes);
}

TEST_F(GoldenRecordTest, RewritesForOneUlpInOneValueOrOneElement) {
  record();
  auto run = run_of();
  std::get<0>(run.channels["loss"])[2] = one_ulp_up(std::get<0>(run.channels["loss"])[2]);
  add_arm("one_indexed", run);
  EXPECT_TRUE(record());
  EXPECT_FALSE(record());
  run.tensors[4].values = [] {
    std::vector<float> values(100, 0.5F);
    values[99] = std::nextafter(0.5F, 1.0F);
    return values;
  }();
  add_arm("one_indexed", run);
  EXPECT_TRUE(record());
}

TEST_F(GoldenRecordTest, TellsAFirstRecordingAChangeAndNoneApart) {
  EXPECT_EQ(recording_of(file, arms), Recording::first);
  record();
  EXPECT_EQ(recording_of(file, arms), Recording::unchanged);
  add_arm("one_indexed", run_of("AuthenticAMD", 2));
  EXPECT_EQ(recording_of(file, arms), Recording::changed);
}

TEST_F(GoldenRecordTest, ANewConfigKeyIsNoChangeOfValues) {
  record();
  auto run = run_of();
  run.config["lr"]["new_key"] = 1;
  add_arm("one_indexed", run);
  arms["one_indexed"].twin = nullptr;
  EXPECT_EQ(recording_of(file, arms), Recording::other_config);
  EXPECT_TRUE(record());
  const Golden golden = read_golden(file);
  EXPECT_TRUE(golden.history.empty());
  EXPECT_EQ(golden.arms.at("one_indexed").config["lr"]["new_key"], 1);
  EXPECT_TRUE(golden.arms.at("one_indexed").twin) << "kept, though the new run had none";
  EXPECT_FALSE(record());
}

TEST_F(GoldenRecordTest, GivenKeys_AreKeptWhereTheTraceLacksThem) {
  arms["one_indexed"].given = {{"lr", {{"base", 0.002}, {"decay", "linear"}}}, {"batch", 8}};
  arms["zero_indexed"].given = {{"lr", {{"base", 0.001}}}};
  record();
  Golden golden = read_golden(file);
  ASSERT_TRUE(golden.intact());
  const GoldenArm arm = golden.arms.at("one_indexed");
  EXPECT_EQ(arm.given, (Json{{"lr", {{"decay", "linear"}}}, {"batch", 8}}));
  EXPECT_EQ(arm.known_config(), (Json{{"lr", {{"base", 0.001}, {"decay", "linear"}}}, {"batch", 8}}))
      << "the trace's own value counts";
  EXPECT_TRUE(golden.arms.at("zero_indexed").given.is_null()) << "its config has all keys";
  EXPECT_FALSE(record()) << "nothing changed";
}

TEST_F(GoldenRecordTest, GivenKeys_OfAnEmptyConfigAreKnown) {
  PlantedRun bare = run_of();
  bare.config = Json::object();
  add_arm("one_indexed", bare);
  record();
  EXPECT_TRUE(read_golden(file).arms.at("one_indexed").given.is_null()) << "parity gave none";
  arms["one_indexed"].given = Json::object();
  const std::string before = read_golden(file).stored_digest;
  EXPECT_EQ(recording_of(file, arms), Recording::other_config);
  record();
  EXPECT_EQ(read_golden(file).arms.at("one_indexed").given, Json::object());
  arms["one_indexed"].given = {{"lr", 0.01}};
  EXPECT_EQ(recording_of(file, arms), Recording::other_config) << "no reason is needed";
  record();
  EXPECT_EQ(read_golden(file).arms.at("one_indexed").given, (Json{{"lr", 0.01}}));
  EXPECT_EQ(read_golden(file).stored_digest, before) << "not content: older programs read the file";
  edit("f['arms/one_indexed'].attrs['given'] = '{\"lr\": 0.02}'");
  EXPECT_FALSE(read_golden(file).intact()) << "under the seal";
  for (const char* text : {"[1]", "no JSON", "3"}) {
    edit("f['arms/one_indexed'].attrs['given'] = '" + std::string(text) + "'");
    EXPECT_THROW(read_golden(file), UserError) << text;
  }
}

TEST_F(GoldenRecordTest, KeepsTheReasonOfEachChange) {
  record();
  EXPECT_TRUE(read_golden(file).history.empty()) << "a first recording changes nothing";
  add_arm("one_indexed", run_of("AuthenticAMD", 2));
  record("c2", "twice the loss");
  add_arm("one_indexed", run_of("AuthenticAMD", 3));
  record("c3", std::string(600, 'x'));
  const Golden golden = read_golden(file);
  ASSERT_EQ(golden.history.size(), 2U);
  EXPECT_EQ(golden.history[0].reason, "twice the loss");
  EXPECT_EQ(golden.history[0].commit, "c2");
  EXPECT_EQ(golden.history[1].reason, std::string(500, 'x'));
  EXPECT_EQ(golden.history[1].content, golden.stored_digest);
}

TEST_F(GoldenRecordTest, TheHistoryIsBoundedAndItsEndIsKept) {
  GoldenHistory history;
  for (int i = 0; i < 250; ++i)
    history.push_back({"reason " + std::to_string(i) + std::string(600, '\xc3'), "c", "d"});
  const auto kept = read_history(history_json(history));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), 100U);
  EXPECT_THAT(kept->back().reason, testing::StartsWith("reason 249"));
  EXPECT_FALSE(read_history(Json{{{"reason", 3}}}));
  EXPECT_FALSE(read_history(Json::object()));
}

TEST_F(GoldenRecordTest, WritingAnewGivesTheSameBytesForTheSameValues) {
  record();
  const std::string bytes = read_file(file);
  std::filesystem::remove(file);
  record();
  EXPECT_EQ(record_golden(file, {"lr/warmup", "parity 0.1.0", "c1", "parity golden record"}, arms, "",
                          Rewrite::always),
            Recording::unchanged);
  EXPECT_EQ(read_file(file), bytes);
}

TEST_F(GoldenRecordTest, KeepsTwinsThatANewRecordLacks) {
  record();
  arms["one_indexed"].twin = nullptr;
  EXPECT_FALSE(record());
  EXPECT_TRUE(read_golden(file).arms.at("one_indexed").twin);
}

TEST_F(GoldenRecordTest, KeepsATwinThatOnlyRoundsOtherwiseInAnotherEnvironment) {
  add_twin("one_indexed", run_of());
  record();
  const auto recording_in = [&](const std::string& cpu, double factor64) {
    add_arm("one_indexed", run_of(cpu));
    add_twin("one_indexed", run_of(cpu, factor64));
    return recording_of(file, arms);
  };
  EXPECT_EQ(recording_in("AuthenticAMD", 1 + 0x1p-50), Recording::changed) << "its own environment";
  EXPECT_EQ(recording_in("GenuineIntel", 1 + 0x1p-30), Recording::changed) << "more than rounding";
  EXPECT_EQ(recording_in("GenuineIntel", 1 + 0x1p-50), Recording::unchanged);
  EXPECT_FALSE(record());
}

TEST_F(GoldenRecordTest, ReplacesADamagedFile) {
  record();
  write_file(file, read_file(file).substr(0, 700));
  EXPECT_TRUE(record());
  EXPECT_TRUE(failures().empty());
}

TEST_F(GoldenRecordTest, RefusesRunsThatDidNotFinish) {
  arms["zero_indexed"].crashed = true;
  EXPECT_THROW(record(), UserError);
  arms["zero_indexed"] = {};
  EXPECT_THROW(record(), UserError);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(GoldenRecordTest, RefusesARunIntoWhichAFaultWasPut) {
  trace::Recorder::Options options{folder / "faulty.h5", {}, {}, {}};
  options.capture.faults = {{trace::FaultKind::scale, {1}, trace::Phase::grad, "w", 0.5, 0, {}, {}, {}}};
  trace::Recorder recorder(std::move(options));
  std::vector<float> values = {1, 2};
  recorder.begin_step(1);
  recorder.channel("loss", 1.0);
  recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, values), values.data());
  recorder.end_step();
  recorder.finish();
  const trace::Trace faulty = trace::Trace::open(folder / "faulty.h5");
  arms["zero_indexed"].trace = &faulty;
  EXPECT_THAT([this] { record(); },
              testing::ThrowsMessage<UserError>(HasSubstr("scale by 0.5 of grad w at step 1")));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(GoldenRecordTest, IsReadableByH5dumpAndHoldsItsOrigin) {
  record();
  const CommandResult dump = run_shell("h5dump -A " + file.string());
  EXPECT_EQ(dump.status, 0);
  for (const char* word : {"parity.golden/1.4", "parity 0.1.0", "parity golden record", "one_indexed"})
    EXPECT_THAT(dump.output, HasSubstr(word));
}

}  // namespace
}  // namespace parity::golden
