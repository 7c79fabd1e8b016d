// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/search_traces.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/bisect/traces/align_names.hpp"
#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::bisect {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

struct Named {
  std::string name;
  std::vector<float> values;
};

class SearchTracesTest : public RecordedTest {
 protected:
  /// Two steps of a loss and these gradients, the second step's as given.
  trace::Trace trace(const std::string& file, const std::vector<Named>& tensors, double loss = 2,
                     bool whole = true) const {
    trace::Recorder::Options how = options(file);
    if (!whole)
      how.capture = {.sketches = {{}}};
    trace::Recorder recorder(std::move(how));
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", step == 1 ? 3.0 : loss);
      for (const Named& tensor : tensors)
        recorder.tensor(
            trace::Phase::grad, tensor.name,
            view_of(DType::float32, step == 1 ? std::vector<float>(tensor.values.size(), 1) : tensor.values));
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(folder / file);
  }
  static std::vector<Named> ours() { return {{"wq", {1, 2}}, {"wk", {3, 4}}, {"norm", {5, 6, 7}}}; }
};

TEST_F(SearchTracesTest, EqualTracesDoNotDiffer) {
  trace::Trace b = trace("b.h5", ours());
  const SearchRecord record = search_traces(trace("a.h5", ours()), b);
  EXPECT_FALSE(record.differs);
  EXPECT_EQ(record.sentence, "nothing that both traces recorded differs");
}

TEST_F(SearchTracesTest, ATensorThatOnlyOneTraceRecorded_IsNoted) {
  std::vector<Named> more = ours();
  more.push_back({"bias", {8}});
  trace::Trace second = trace("b.h5", more);
  const SearchRecord record = search_traces(trace("a.h5", ours()), second);
  EXPECT_FALSE(record.differs);
  EXPECT_THAT(record.notes, Contains(HasSubstr("that only one trace recorded")));
}

TEST_F(SearchTracesTest, ATensorThatOneSideLacksAtTheStep_IsNoted) {
  const auto write = [&](const std::string& file, bool lacks, float value) {
    trace::Recorder recorder(options(file));
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      if (step == 1 || !lacks)
        recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, std::vector<float>{1, 2}));
      recorder.tensor(trace::Phase::param, "w",
                      view_of(DType::float32, std::vector<float>{step == 1 ? 1 : value, 2}));
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  trace::Trace b = write("b.h5", true, 4);
  const SearchRecord record = search_traces(write("a.h5", false, 3), b);
  EXPECT_THAT(record.sentence, HasSubstr("param w at step 2"));
  EXPECT_THAT(record.notes, testing::Contains(HasSubstr("grad w of step 2 is in the first trace only")));
}

TEST_F(SearchTracesTest, AShorterTraceDiffers) {
  trace::Recorder recorder(options("b.h5"));
  recorder.begin_step(1);
  recorder.channel("loss", 3.0);
  recorder.end_step();
  recorder.finish();
  trace::Trace b = trace::Trace::open(folder / "b.h5");
  const SearchRecord record = search_traces(trace("a.h5", {}), b);
  EXPECT_TRUE(record.differs);
  EXPECT_EQ(
      record.sentence,
      "the first trace ends with update 2, the second with 1; until then nothing that both traces recorded "
      "differs");
}

TEST_F(SearchTracesTest, PairedNamesAreToldWhereNothingDiffers) {
  std::vector<Named> other = ours();
  other[0].name = "q_proj";
  trace::Trace b = trace("b.h5", other);
  const SearchRecord record = search_traces(trace("a.h5", ours()), b);
  EXPECT_FALSE(record.differs);
  EXPECT_THAT(
      record.notes,
      testing::Contains(HasSubstr("paired by order of execution, shape and norm, such as q_proj with wq")));
}

TEST_F(SearchTracesTest, ATensorIsNamedWithItsElement) {
  std::vector<Named> off = ours();
  off[1].values[1] = 4.5F;
  trace::Trace b = trace("b.h5", off, 2.25);
  const SearchRecord record = search_traces(trace("a.h5", ours()), b);
  EXPECT_TRUE(record.differs);
  EXPECT_EQ(record.sentence,
            "grad wk at step 2 is the first tensor that differs; 1 of 2 elements, most at [1]");
  EXPECT_EQ(record.stages.front().name, "curve");
  EXPECT_THAT(record.stages.back().answer, HasSubstr("the first 4, the second 4.5"));
}

/// For the page: the loss of both at each step of either. Values that are not finite differ from steps that
/// do not exist.
TEST_F(SearchTracesTest, CurvesKeepNanInfinityAndMissingStepsApart) {
  const auto losses = [this](const std::string& file, const std::vector<double>& values) {
    trace::Recorder recorder(options(file));
    for (size_t i = 0; i < values.size(); ++i) {
      recorder.begin_step(static_cast<int64_t>(i) + 1);
      recorder.channel("loss", values[i]);
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  trace::Trace b = losses("b.h5", {3, nan, -inf});
  const Json details = search_traces(losses("a.h5", {3, 2, 1, inf}), b).stages.front().details;
  EXPECT_EQ(details.at("steps"), Json({1, 2, 3, 4}));
  EXPECT_EQ(details.at("loss").at("expected"), Json({3.0, 2.0, 1.0, "inf"}));
  EXPECT_EQ(details.at("loss").at("actual"), Json({3.0, "nan", "-inf", nullptr}));
  EXPECT_FALSE(details.contains("grad_norm"));
}

TEST_F(SearchTracesTest, ADifferenceBelowWhatCountsIsNone) {
  std::vector<Named> off = ours();
  off[0].values[0] = std::nextafter(1.0F, 2.0F);
  trace::Trace b = trace("b.h5", off);
  const trace::Trace a = trace("a.h5", ours());
  TraceSearch how;
  how.beyond = 1e-6;
  EXPECT_FALSE(search_traces(a, b, how).differs);
  EXPECT_TRUE(search_traces(a, b).differs);
}

TEST_F(SearchTracesTest, WhatToRecordIsSaidWhereTensorsAreMissing) {
  trace::Trace b = trace("b.h5", ours(), 2.25);
  const SearchRecord record = search_traces(trace("a.h5", ours()), b);
  EXPECT_THAT(record.sentence, HasSubstr("loss differs from step 2 on, but no recorded tensor does"));
  std::vector<Named> off = ours();
  off[1].values[1] = 4.5F;
  trace::Trace sketched = trace("c.h5", off, 2, false);
  EXPECT_THAT(search_traces(trace("d.h5", ours()), sketched).notes,
              ElementsAre(HasSubstr("not recorded whole on both sides")));
}

TEST_F(SearchTracesTest, RulesGiveTheNamesOfTheOtherTrace) {
  trace::Trace b = trace("b.h5", {{"q_proj", {1, 2}}, {"k_proj", {3, 9}}});
  TraceSearch how;
  how.names = {{"(.)_proj", "w$1"}};
  how.align = false;
  EXPECT_THAT(search_traces(trace("a.h5", ours()), b, how).sentence, HasSubstr("grad wk at step 2"));
}

TEST_F(SearchTracesTest, OtherNamesArePairedByOrderShapeAndNorm) {
  const trace::Trace a = trace("a.h5", ours());
  // One that the first lacks, and the pair of one shape that only norms distinguish.
  trace::Trace b = trace("b.h5", {{"extra", {100}}, {"q", {1, 2}}, {"k", {3, 4.25F}}, {"scale", {5, 6, 7}}});
  EXPECT_THAT(align_names(a, b), ElementsAre(Pair("k", "wk"), Pair("q", "wq"), Pair("scale", "norm")));
  const SearchRecord record = search_traces(a, b);
  EXPECT_THAT(record.sentence, HasSubstr("grad wk at step 2 is the first tensor that differs"));
  EXPECT_THAT(record.notes, ElementsAre(HasSubstr("3 tensors have different names")));
}

TEST_F(SearchTracesTest, AMissingTensorDoesNotShiftTheOthers) {
  const auto record = [this](const std::string& file, const std::vector<Named>& tensors) {
    trace::Recorder recorder(options(file));
    recorder.begin_step(1);
    for (const Named& tensor : tensors)
      recorder.tensor(trace::Phase::grad, tensor.name, view_of(DType::float32, tensor.values));
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  const trace::Trace a = record("a.h5", {{"a", {1, 2}}, {"b", {30, 40}}, {"c", {500, 600}}});
  const trace::Trace b = record("b.h5", {{"x", {1, 2}}, {"z", {500, 600}}});
  EXPECT_THAT(align_names(a, b), ElementsAre(Pair("x", "a"), Pair("z", "c")));
}

TEST_F(SearchTracesTest, TracesWithNothingInCommonAreRefused) {
  const auto lone = [this](const std::string& file, const std::string& channel) {
    trace::Recorder recorder(options(file));
    recorder.begin_step(1);
    recorder.channel(channel, 1.0);
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  const trace::Trace a = lone("a.h5", "x");
  trace::Trace b = lone("b.h5", "y");
  EXPECT_THAT([&] { search_traces(a, b); },
              ThrowsMessage<UserError>(HasSubstr("no channel and no tensor name")));
}

}  // namespace
}  // namespace parity::bisect
