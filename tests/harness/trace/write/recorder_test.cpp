// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/recorder.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/measure/tensor/sketch.hpp"
#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class RecorderTest : public RecordedTest {};

TEST_F(RecorderTest, WhatWasRecordedIsRead) {
  Recorder recorder(options());
  record(recorder, 1, 2);
  recorder.finish();

  const Trace trace = Trace::open(folder);
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.schema(), "parity.trace/1.2");
  EXPECT_EQ(trace.last_step(), 2);
  EXPECT_EQ(trace.config(), Json({{"steps", 2}}));
  EXPECT_EQ(trace.provenance(), Json({{"producer", "test"}}));
  EXPECT_FALSE(trace.failure());
  EXPECT_THAT(trace.steps(), ElementsAre(1, 2));
  EXPECT_EQ(trace.channels().size(), 3);
  EXPECT_THAT(std::get<std::vector<double>>(trace.channels().at("loss").values), ElementsAre(1.0, 0.5));
  EXPECT_THAT(std::get<std::vector<int64_t>>(trace.channels().at("valid_tokens").values),
              ElementsAre(1024, 2048));
  EXPECT_EQ(trace.channels().at("step_seconds").kind, ChannelKind::timing);
  const TensorKey key{2, Phase::grad, "layers.0.wq.weight"};
  ASSERT_TRUE(trace.has_tensor(key));
  const TensorView view = trace.tensor(key);
  EXPECT_EQ(view.shape, Shape({1, 3}));
  EXPECT_THAT(values_of<float>(view), ElementsAre(1.5F, -2.0F, 2.0F));
}

TEST_F(RecorderTest, EveryDtypeComesBackBitForBitWithItsSketch) {
  auto values = random_values(100);
  std::vector<Sample> samples;
  for (const DType dtype : all_dtypes())
    samples.emplace_back(dtype, values);
  Recorder recorder(options());
  recorder.begin_step(0);
  for (const Sample& sample : samples) {
    TensorView view = sample.view;
    view.shape = {4, 25};
    recorder.tensor(Phase::param, name_of(view.dtype), view);
  }
  recorder.end_step();
  recorder.finish();

  const Trace trace = Trace::open(folder);
  EXPECT_EQ(trace.last_step(), 0);
  EXPECT_THAT(trace.steps(), IsEmpty());
  ASSERT_EQ(trace.sketches().size(), samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    const TensorView& given = samples[i].view;
    const TensorKey key{0, Phase::param, std::string(name_of(given.dtype))};
    const TensorView found = trace.tensor(key);
    EXPECT_EQ(found.dtype, given.dtype);
    EXPECT_EQ(found.shape, Shape({4, 25}));
    EXPECT_TRUE(std::ranges::equal(found.raw(), given.raw())) << key.name;
    const SketchRow* row = trace.find_sketch(key);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->order, static_cast<int64_t>(i));
    EXPECT_EQ(row->dtype, given.dtype);
    EXPECT_EQ(row->shape, Shape({4, 25}));
    EXPECT_EQ(row->digest, measure::digest_of(given));
    EXPECT_EQ(row->values, measure::sketch_of(given));
  }
}

TEST_F(RecorderTest, ScalarsEmptyTensorsAndOddNamesAreKept) {
  const float one = 7;
  Recorder recorder(options());
  recorder.begin_step(1);
  recorder.channel("a/b", 1.0);
  recorder.tensor(Phase::forward, "block/0:%x", {DType::float32, {}, &one});
  recorder.tensor(Phase::forward, "empty", {DType::float32, {3, 0}, nullptr});
  recorder.end_step();
  recorder.finish();
  const Trace trace = Trace::open(folder);
  EXPECT_TRUE(trace.channels().contains("a/b"));
  const TensorView scalar = trace.tensor({1, Phase::forward, "block/0:%x"});
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_THAT(values_of<float>(scalar), ElementsAre(7.0F));
  EXPECT_EQ(trace.tensor({1, Phase::forward, "empty"}).shape, Shape({3, 0}));
  EXPECT_NE(trace.find_sketch({1, Phase::forward, "block/0:%x"}), nullptr);
}

TEST_F(RecorderTest, CaptureDecidesBetweenTensorSketchAndNothing) {
  Recorder::Options chosen = options();
  chosen.capture = {.tensors = {{{1}, {}, {"whole"}}}, .sketches = {{{}, {Phase::grad}, {}}}};
  Recorder recorder(std::move(chosen));
  const std::vector<float> values = {1, 2};
  for (const int64_t step : {1, 2}) {
    recorder.begin_step(step);
    EXPECT_EQ(recorder.wants(Phase::param, "whole"), step == 1);
    EXPECT_TRUE(recorder.wants(Phase::grad, "other"));
    EXPECT_FALSE(recorder.wants(Phase::param, "other"));
    for (const Phase phase : {Phase::grad, Phase::param})
      for (const char* name : {"other", "whole"})
        recorder.tensor(phase, name, view_of(DType::float32, values));
    recorder.end_step();
  }
  recorder.finish();
  const Trace trace = Trace::open(folder);
  EXPECT_THAT(trace.tensors(),
              ElementsAre(TensorKey{1, Phase::grad, "whole"}, TensorKey{1, Phase::param, "whole"}));
  EXPECT_EQ(trace.sketches().size(), 5);
  EXPECT_THAT([&] { trace.tensor({2, Phase::grad, "whole"}); },
              ThrowsMessage<UserError>(HasSubstr("tensor whole of step 2, phase grad")));
}

TEST_F(RecorderTest, ValuesAreCopiedBeforeTheCallReturns) {
  Recorder recorder(options());
  std::vector<float> values(1000, 1.0F);
  for (int64_t step = 1; step <= 5; ++step) {
    recorder.begin_step(step);
    recorder.tensor(Phase::param, "w", view_of(DType::float32, values));
    std::fill(values.begin(), values.end(), static_cast<float>(step + 1));
    recorder.end_step();
  }
  recorder.finish();
  const Trace trace = Trace::open(folder);
  for (int64_t step = 1; step <= 5; ++step)
    EXPECT_THAT(values_of<float>(trace.tensor({step, Phase::param, "w"})),
                testing::Each(static_cast<float>(step)));
}

TEST_F(RecorderTest, Fault_ChangesTrainerMemoryAndRecord) {
  Recorder recorder(options());
  int64_t offered = 0;
  recorder.set_fault_hook(
      [&](int64_t step, Phase phase, std::string_view name, const TensorView& view, void* data) {
        ++offered;
        EXPECT_EQ(view.size(), 2);
        if (step == 2 && phase == Phase::grad && name == "w")
          static_cast<float*>(data)[1] += 0.5F;
      });
  std::vector<float> values = {1, 2};
  for (const int64_t step : {1, 2}) {
    recorder.begin_step(step);
    EXPECT_TRUE(recorder.wants(Phase::optim, "anything")) << "a fault must be offered everything";
    recorder.tensor(Phase::grad, "w", view_of(DType::float32, values), values.data());
    recorder.end_step();
  }
  recorder.finish();
  EXPECT_EQ(offered, 2);
  EXPECT_THAT(values, ElementsAre(1.0F, 2.5F));
  const Trace trace = Trace::open(folder);
  EXPECT_THAT(values_of<float>(trace.tensor({1, Phase::grad, "w"})), ElementsAre(1.0F, 2.0F));
  EXPECT_THAT(values_of<float>(trace.tensor({2, Phase::grad, "w"})), ElementsAre(1.0F, 2.5F));
  EXPECT_NE(trace.find_sketch({1, Phase::grad, "w"})->digest,
            trace.find_sketch({2, Phase::grad, "w"})->digest);
}

TEST_F(RecorderTest, Fault_ReadOnlyMemory_ChangesRecordOnly) {
  Recorder recorder(options());
  recorder.set_fault_hook([](int64_t, Phase, std::string_view, const TensorView&, void* data) {
    static_cast<float*>(data)[0] = -1;
  });
  const std::vector<float> values = {1, 2};
  recorder.begin_step(1);
  recorder.tensor(Phase::grad, "w", view_of(DType::float32, values));
  recorder.end_step();
  recorder.finish();
  EXPECT_THAT(values, ElementsAre(1.0F, 2.0F));
  EXPECT_THAT(values_of<float>(Trace::open(folder).tensor({1, Phase::grad, "w"})), ElementsAre(-1.0F, 2.0F));
}

TEST_F(RecorderTest, FailureStaysInAPartialTrace) {
  Recorder recorder(options());
  record(recorder, 1, 2);
  recorder.failure({{"kind", "non_finite"}, {"step", 3}, {"tensor", "output.weight"}});
  recorder.finish();
  EXPECT_FALSE(fs::exists(trace_path()));
  const Trace trace = Trace::open(folder);
  EXPECT_FALSE(trace.complete());
  EXPECT_EQ(trace.last_step(), 2);
  ASSERT_TRUE(trace.failure());
  EXPECT_EQ((*trace.failure())["tensor"], "output.weight");
}

TEST_F(RecorderTest, MeasuredTensor_LeavesTheRowOfAnOfferedOne) {
  const Sample sample(DType::float32, random_values(24));
  const TensorLayout rows = {{6, 8}, {{"dp", 1, 2, Shard{0, {{3, 6}}}}}};
  const TensorView view = {DType::float32, {3, 8}, sample.bytes.data()};
  const auto record_as = [&](const fs::path& file, bool measured) {
    Recorder::Options given = options();
    given.path = file;
    given.capture.tensors.clear();
    given.capture.sketches = {{{}, {Phase::grad}, {}}};
    Recorder recorder(std::move(given));
    recorder.begin_step(1);
    for (const TensorLayout& layout : {TensorLayout{}, rows}) {
      const std::string name = layout.placements.empty() ? "whole" : "part";
      EXPECT_FALSE(recorder.wants_elements(Phase::grad, name));
      for (const Phase phase : {Phase::param, Phase::grad})
        if (measured)
          recorder.measured(phase, name, view.dtype, view.shape, measure::measure_tensor(view, layout),
                            layout);
        else
          recorder.tensor(phase, name, view, nullptr, layout);
    }
    EXPECT_THAT([&] { recorder.measured(Phase::grad, "part", view.dtype, view.shape, {}); },
                ThrowsMessage<UserError>(HasSubstr("offered twice")));
    EXPECT_THAT([&] { recorder.measured(Phase::grad, "other", view.dtype, {4, 8}, {}, rows); },
                ThrowsMessage<UserError>(
                    HasSubstr("its shape is (4, 8), but its layout describes a shard of shape (3, 8)")));
    recorder.channel("loss", 1.0);
    recorder.end_step();
    recorder.finish();
    return read_file(file);
  };
  EXPECT_EQ(record_as(folder / "measured.h5", true), record_as(folder / "offered.h5", false));
}

TEST_F(RecorderTest, WhatNeedsElementsCannotBeMeasured) {
  Recorder recorder(options());
  recorder.begin_step(1);
  EXPECT_TRUE(recorder.wants_elements(Phase::grad, "kept"));
  EXPECT_THROW(recorder.measured(Phase::grad, "kept", DType::float32, {1}, {}), InternalError);
  Recorder::Options sketches = options();
  sketches.path = folder / "faulty.h5";
  sketches.capture.tensors.clear();
  Recorder faulty(std::move(sketches));
  faulty.begin_step(1);
  EXPECT_FALSE(faulty.wants_elements(Phase::grad, "any"));
  faulty.set_fault_hook([](int64_t, Phase, std::string_view, const TensorView&, void*) {});
  EXPECT_TRUE(faulty.wants_elements(Phase::grad, "any"));
}

TEST_F(RecorderTest, MisuseIsRefusedWithTheNameAtFault) {
  Recorder recorder(options());
  const std::vector<float> values = {1, 2};
  EXPECT_THROW(recorder.channel("loss", 1.0), InternalError);
  EXPECT_THROW(recorder.end_step(), InternalError);
  recorder.begin_step(0);
  EXPECT_THROW(recorder.channel("loss", 1.0), InternalError);
  EXPECT_THROW(recorder.begin_step(1), InternalError);
  EXPECT_THROW(recorder.finish(), InternalError);
  recorder.end_step();
  recorder.begin_step(1);
  recorder.channel("loss", 1.0);
  EXPECT_THAT([&] { recorder.channel("loss", 2.0); }, ThrowsMessage<UserError>(HasSubstr("given twice")));
  recorder.tensor(Phase::grad, "w", view_of(DType::float32, values));
  EXPECT_THAT([&] { recorder.tensor(Phase::grad, "w", view_of(DType::float32, values)); },
              ThrowsMessage<UserError>(HasSubstr("tensor w of step 1")));
  EXPECT_THROW(recorder.tensor(Phase::grad, "..", view_of(DType::float32, values)), UserError);
  recorder.end_step();
  EXPECT_THAT([&] { recorder.begin_step(1); }, ThrowsMessage<UserError>(HasSubstr("does not follow step 1")));
}

TEST_F(RecorderTest, AChannelHasAValueForEveryStep) {
  for (const bool late : {false, true}) {
    Recorder recorder(options());
    recorder.begin_step(1);
    recorder.channel("loss", 1.0);
    recorder.end_step();
    recorder.begin_step(2);
    if (late)
      recorder.channel("loss", 1.0);
    recorder.channel("lr", 1.0);
    recorder.end_step();
    EXPECT_THAT(
        [&] { recorder.finish(); },
        ThrowsMessage<UserError>(HasSubstr(late ? "channel lr at step 2" : "channel loss at step 2")));
  }
}

TEST_F(RecorderTest, ReplayHoldsParametersAndBatchesWhenAsked) {
  const std::vector<float> weight = {1, 2, 3};
  const std::vector<int64_t> tokens = {5, 6};
  for (const bool asked : {true, false}) {
    Recorder::Options chosen = options();
    chosen.capture = {.replay = asked};
    Recorder recorder(std::move(chosen));
    recorder.replay_parameter("tok_embeddings.weight", view_of(DType::float32, weight));
    recorder.replay_batch(1, 0, "tokens", view_of(DType::int64, tokens, {1, 2}));
    recorder.finish();
    const CommandResult dump =
        run_shell("h5dump -d /replay/batches/1/0/tokens -d /replay/initial/tok_embeddings.weight " +
                  trace_path().string());
    EXPECT_EQ(dump.status == 0, asked);
    if (asked) {
      EXPECT_THAT(dump.output, HasSubstr("(0,0): 5, 6"));
      EXPECT_THAT(dump.output, HasSubstr("(0): 1, 2, 3"));
    }
  }
}

}  // namespace
}  // namespace parity::trace
