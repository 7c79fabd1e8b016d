// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Goldens of trainers that keep tensors whole and write no sketches (tests/support/minimal_trace.py).
#include <limits>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::HasSubstr;

class RowlessGoldenTest : public GoldenTest {
 protected:
  /// Runs of both arms whose files have no sketch rows, and without twins.
  void SetUp() override {
    PlantedTest::SetUp();
    for (const char* name : {"one_indexed", "zero_indexed"})
      add_rowless(name, run_of());
  }

  void add_rowless(const std::string& name, const PlantedRun& run) {
    add_arm(name, run);
    const CommandResult result = run_python(folder,
                                            "import h5py, sys\n"
                                            "with h5py.File(sys.argv[1], 'r+') as f:\n    del f['sketches'], "
                                            "f.attrs['digest']\n    f.attrs['schema'] = 'parity.trace/1.0'\n",
                                            (folder / (name + ".h5")).string());
    ASSERT_EQ(result.status, 0) << result.output;
    rowless_.push_back(std::make_unique<trace::Trace>(trace::Trace::open(folder / (name + ".h5"))));
    arms[name].trace = rowless_.back().get();
    ASSERT_EQ(rowless_.back()->sketches().size(), rowless_.back()->tensors().size());  // made by the reader
  }

  static PlantedRun scaled(float factor, trace::Phase phase) {
    PlantedRun run = run_of();
    for (PlantedTensor& tensor : run.tensors)
      if (tensor.key.phase == phase)
        std::get<0>(tensor.values).assign(100, 0.5F * factor);
    return run;
  }

 private:
  std::vector<std::unique_ptr<trace::Trace>> rowless_;
};

TEST_F(RowlessGoldenTest, WholeTensorsAreDigestedWhenRecorded) {
  record();
  const GoldenArm arm = read_golden(file).arms.at("one_indexed");
  ASSERT_EQ(arm.sketches.size(), 4U) << "grad and param at steps 1 and 4";
  EXPECT_EQ(arm.sketches[0].values.size(), 64U);
  EXPECT_TRUE(failures().empty());
  add_arm("one_indexed", run_of());  // the same values with rows
  EXPECT_TRUE(failures().empty());
  EXPECT_FALSE(record()) << "the same content";
}

TEST_F(RowlessGoldenTest, WeightsSevenfoldAreFound) {
  record();
  for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param}) {
    add_rowless("zero_indexed", scaled(7, phase));
    const auto failed = failures();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].quantity, name_of(phase));
    EXPECT_EQ(failed[0].result.verdict, compare::Verdict::different);
  }
}

TEST_F(RowlessGoldenTest, ALostPhaseIsMissingInTheRun) {
  record();
  PlantedRun run = run_of();
  std::erase_if(run.tensors, [](const PlantedTensor& each) { return each.key.phase == trace::Phase::grad; });
  add_arm("zero_indexed", run);
  const auto failed = failures();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].result.verdict, compare::Verdict::missing);
  EXPECT_THAT(failed[0].result.sentence, HasSubstr("is in the golden but zero_indexed did not record it"));
}

TEST_F(RowlessGoldenTest, APhaseThatTheGoldenLacksIsMissing) {
  PlantedRun run = run_of();
  std::erase_if(run.tensors, [](const PlantedTensor& each) { return each.key.phase == trace::Phase::grad; });
  add_arm("zero_indexed", run);
  record();
  ASSERT_TRUE(failures().empty());
  add_arm("zero_indexed", run_of());
  const auto failed = failures();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].result.verdict, compare::Verdict::missing);
  EXPECT_THAT(failed[0].result.sentence, HasSubstr("of zero_indexed is not in the golden"));
  add_rowless("zero_indexed", run_of());
  EXPECT_EQ(failures().size(), 1U);
}

TEST_F(RowlessGoldenTest, ChecksAgainstGoldenTakeWholeTensors) {
  record();
  compare::Check check;
  check.tensor = "*";
  check.phase = trace::Phase::param;
  check.arms = {"one_indexed"};
  check.relation = compare::Relation::bounded;
  check.against = compare::Against::golden;
  check.tolerance = 1e-3;
  check.tolerance_because = "the test says so";
  compare::ArmFloors floors;
  for (const int64_t step : {1, 4})
    floors.rows.push_back({"param layers.0.wq.weight", step, 5, {1e-4}});
  const auto judged = [&] {
    arms["one_indexed"].floors = &floors;
    return judge_against_golden(check, stored_golden(file), arms["one_indexed"]);
  };
  EXPECT_TRUE(judged().passed) << judged().sentence;
  add_rowless("one_indexed", scaled(7, trace::Phase::param));
  EXPECT_EQ(judged().verdict, compare::Verdict::different) << judged().sentence;
  PlantedRun more = run_of();
  more.tensors.push_back({{4, trace::Phase::param, "new"}, std::vector<float>{1}});
  add_rowless("one_indexed", more);
  EXPECT_EQ(judged().verdict, compare::Verdict::missing) << judged().sentence;
}

TEST_F(RowlessGoldenTest, WhatIsNotFiniteIsNotRecorded) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {nan, std::numeric_limits<double>::infinity()}) {
    PlantedRun of_channel = run_of(), of_tensor = run_of();
    std::get<0>(of_channel.channels.at("loss"))[2] = value;
    for (PlantedTensor& tensor : of_tensor.tensors)
      if (tensor.key == trace::TensorKey{4, trace::Phase::grad, "layers.0.wq.weight"})
        std::get<0>(tensor.values)[5] = static_cast<float>(value);
    for (const auto& [run, words] : {std::pair{&of_channel, "at step 3"},
                                     std::pair{&of_tensor, "grad layers.0.wq.weight at step 4 has"}}) {
      add_rowless("one_indexed", *run);
      try {
        record();
        ADD_FAILURE() << words;
      } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(words));
      }
      EXPECT_FALSE(std::filesystem::exists(file));
    }
  }
}

TEST_F(RowlessGoldenTest, ADamagedFileHandsOutNothing) {
  record();
  compare::Floors floors;
  floors.kinds = {"twin"};
  floors.arms["one_indexed"].rows = {{"loss", 1, 8, {1e3}}};
  record_floors(file, {"lr/warmup", "parity", "c", "x"}, floors);
  ASSERT_TRUE(stored_golden(file).golden);
  edit("f['floors/arms/one_indexed/noise'][0, 0] = 1e6");
  const StoredGolden stored = stored_golden(file);
  EXPECT_FALSE(stored.golden) << "its seal is broken";
  EXPECT_TRUE(stored.damaged);
  EXPECT_THAT(stored.problem, HasSubstr("edited or damaged"));
  EXPECT_THROW(read_intact_golden(file), UserError);
}

}  // namespace
}  // namespace parity::golden
