// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/capture.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::trace {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const CaptureRule some = {{1, 10}, {Phase::grad}, {"layers.*.wq.weight"}};

TEST(CaptureTest, RuleCoversWhatAllItsListsCover) {
  EXPECT_TRUE(some.covers(10, Phase::grad, "layers.3.wq.weight"));
  EXPECT_FALSE(some.covers(2, Phase::grad, "layers.3.wq.weight"));
  EXPECT_FALSE(some.covers(10, Phase::param, "layers.3.wq.weight"));
  EXPECT_FALSE(some.covers(10, Phase::grad, "layers.3.wk.weight"));
  EXPECT_TRUE(CaptureRule{}.covers(7, Phase::input, "anything"));
}

TEST(CaptureTest, AKeptTensorIsAlsoSketched) {
  const Capture capture{.tensors = {some}, .sketches = {{{}, {Phase::param}, {}}}};
  EXPECT_TRUE(capture.wants_tensor(1, Phase::grad, "layers.0.wq.weight"));
  EXPECT_TRUE(capture.wants_sketch(1, Phase::grad, "layers.0.wq.weight"));
  EXPECT_FALSE(capture.wants_tensor(1, Phase::param, "x"));
  EXPECT_TRUE(capture.wants_sketch(1, Phase::param, "x"));
  EXPECT_FALSE(Capture{}.wants_sketch(1, Phase::param, "x"));
}

TEST(CaptureTest, OperatorsAreWantedByTheirModule) {
  const Capture capture{.operators = {{{2}, {Phase::backward}, {"layers.0.*"}}}};
  EXPECT_TRUE(capture.wants_operators(2));
  EXPECT_FALSE(capture.wants_operators(1));
  EXPECT_TRUE(capture.wants_operators(2, Phase::backward, "layers.0.attention"));
  EXPECT_FALSE(capture.wants_operators(2, Phase::forward, "layers.0.attention"));
  EXPECT_FALSE(capture.wants_operators(2, Phase::backward, "layers.1.attention"));
  EXPECT_EQ(Capture::from_json(capture.to_json()).to_json(), capture.to_json());
  EXPECT_FALSE(Capture{}.includes(capture));
  Capture merged;
  merged.merge(capture);
  EXPECT_TRUE(merged.includes(capture));
}

TEST(CaptureTest, MicroBatchesAreAskedForApart) {
  const Capture capture{.micro_batches = true};
  EXPECT_TRUE(Capture::from_json(capture.to_json()).micro_batches);
  EXPECT_FALSE(Capture::from_json(Capture{}.to_json()).micro_batches);
  EXPECT_FALSE(Capture{}.includes(capture));
  Capture merged;
  merged.merge(capture);
  EXPECT_TRUE(merged.includes(capture));
}

TEST(CaptureTest, JsonKeepsEverything) {
  const Capture capture{
      .tensors = {some, {}}, .sketches = {{{0}, {Phase::param, Phase::input}, {}}}, .replay = true};
  const Json json = capture.to_json();
  EXPECT_EQ(Capture::from_json(json).to_json(), json);
  EXPECT_EQ(json["tensors"][0]["phases"], Json({"grad"}));
  EXPECT_TRUE(Capture::from_json(json).replay);
  EXPECT_FALSE(Capture::from_json(Json::object()).wants_sketch(1, Phase::grad, "x"));
}

TEST(CaptureTest, JsonErrorsNameTheKey) {
  const auto refused = [](const char* text, const char* part) {
    EXPECT_THAT([&] { Capture::from_json(Json::parse(text)); }, ThrowsMessage<UserError>(HasSubstr(part)));
  };
  refused(R"({"tensor": []})", "did you mean 'tensors'?");
  refused(R"({"tensors": [{"step": [1]}]})", "did you mean 'steps'?");
  refused(R"({"tensors": [{}, {"steps": [-1]}]})", "tensors[1].steps");
  refused(R"({"sketches": [{"phases": ["gard"]}]})", "unknown phase 'gard'");
  refused(R"({"sketches": [{"names": "x"}]})", "sketches[0].names is not a list");
  refused(R"({"replay": 1})", "replay is not true or false");
  refused("[]", "not a JSON object");
  refused(R"({"faults": [{"kind": "ulp"}]})", "no phase");
}

TEST(CaptureTest, MergedCaptureIncludesBoth) {
  const Capture a{.tensors = {some}};
  const Capture b{.sketches = {some, {{}, {Phase::param}, {}}}, .replay = true};
  Capture both = a;
  both.merge(b);
  EXPECT_TRUE(both.includes(a));
  EXPECT_TRUE(both.includes(b));
  EXPECT_FALSE(a.includes(b));
  EXPECT_FALSE(b.includes(a));
  const Json once = both.to_json();
  both.merge(a);
  both.merge(b);
  EXPECT_EQ(both.to_json(), once);
}

TEST(CaptureTest, FaultsAreKeptAndMakeItTheCaptureOfAnotherRun) {
  const Capture plain{.tensors = {some}};
  Capture faulty = plain;
  faulty.faults = {{FaultKind::ulp, {1}, Phase::grad, "w", 0, 7, {}, {}, {}}};
  EXPECT_FALSE(plain.to_json().contains("faults"));
  EXPECT_EQ(Capture::from_json(faulty.to_json()).faults, faulty.faults);
  EXPECT_TRUE(faulty.includes(faulty));
  EXPECT_FALSE(faulty.includes(plain));
  EXPECT_FALSE(plain.includes(faulty));
  Capture other = faulty;
  other.faults[0].seed = 8;
  EXPECT_THROW(other.merge(faulty), InternalError);
  Capture both = plain;
  both.merge(faulty);
  EXPECT_EQ(both.faults, faulty.faults);
}

TEST(CaptureTest, IncludesComparesRuleByRule) {
  const Capture all{.tensors = {{{}, {}, {"*"}}}};
  const Capture one{.tensors = {some}};
  EXPECT_TRUE(all.includes(one));
  EXPECT_FALSE(one.includes(all));
  EXPECT_TRUE(one.includes(Capture{.sketches = {some}}));
  EXPECT_FALSE((Capture{.sketches = {some}}).includes(one));
  EXPECT_FALSE(one.includes(Capture{.tensors = {{{1, 2}, some.phases, some.names}}}));
}

}  // namespace
}  // namespace parity::trace
