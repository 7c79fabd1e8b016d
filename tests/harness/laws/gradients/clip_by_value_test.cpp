// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The law "clip" of runs that clip the elements of their gradients.
#include <algorithm>
#include <limits>

#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ClipByValueTest : public LawTest {
 protected:
  /// A run that clips by value to 0.125, and has no norm.
  static PlantedRun clamped() {
    PlantedRun run = trained();
    run.config.erase("clip");
    run.channels.erase("grad_norm");
    run.provenance["recipe"]["clip"] = {{"value", 0.125}};
    for (int64_t step = 1; step <= 4; ++step)
      for (const std::string& name : names()) {
        std::vector<float>& clipped = tensor(run, step, Phase::grad_clipped, name);
        clipped = tensor(run, step, Phase::grad, name);
        for (float& value : clipped)
          value = std::clamp(value, -0.125F, 0.125F);
      }
    return run;
  }
  static std::vector<float>& clipped(PlantedRun& run, int64_t step, const char* name) {
    return tensor(run, step, Phase::grad_clipped, name);
  }
};

TEST_F(ClipByValueTest, ClampedElements_Hold) {
  const Finding finding = ask(ask_clip, clamped());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 20);
  EXPECT_THAT(notes(finding), AllOf(HasSubstr("clipped by value to 0.125: "),
                                    HasSubstr("of 1280 elements of 4 updates are cut off")));
}

TEST_F(ClipByValueTest, ElementAboveTheValue_IsNamed) {
  PlantedRun run = clamped();
  clipped(run, 2, "layers.1.wv.weight") = tensor(run, 2, Phase::grad, "layers.1.wv.weight");
  const Finding finding = ask(ask_clip, run);
  ASSERT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding),
              HasSubstr("layers.1.wv.weight: elements are larger than the clip value 0.125 (up to 0.2"));
  EXPECT_EQ(finding.departures.front().step, 2);
}

TEST_F(ClipByValueTest, ElementBelowTheValue_KeepsItsBits) {
  PlantedRun run = clamped();
  std::vector<float>& values = clipped(run, 3, "norm.weight");
  const auto small = std::ranges::find_if(values, [](float value) { return std::abs(value) < 0.1F; });
  ASSERT_NE(small, values.end());
  *small = std::nextafter(*small, 1.0F);
  const Finding finding = ask(ask_clip, run);
  EXPECT_THAT(sentence(finding), HasSubstr("norm.weight: elements are not those before clipping"));
}

TEST_F(ClipByValueTest, OtherValue_IsNamed) {
  PlantedRun run = clamped();
  run.provenance["recipe"]["clip"] = {{"value", 0.25}};
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("not those before clipping, clamped to 0.25"));
  run.provenance["recipe"]["clip"] = {{"value", "inf"}};
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::departs);
}

TEST_F(ClipByValueTest, ValueRoundedToTheDtype_Holds) {
  PlantedRun run = clamped();
  run.provenance["recipe"]["clip"] = {{"value", 0.1}};  // float32's 0.1 is larger
  for (int64_t step = 1; step <= 4; ++step)
    for (const std::string& name : names())
      for (float& value : tensor(run, step, Phase::grad_clipped, name))
        value = std::clamp(value, -0.1F, 0.1F);
  const Finding finding = ask(ask_clip, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
}

TEST_F(ClipByValueTest, NanStaysNan) {
  PlantedRun run = clamped();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  tensor(run, 1, Phase::grad, "norm.weight")[0] = nan;
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::departs);
  clipped(run, 1, "norm.weight")[0] = nan;
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::holds);
}

TEST_F(ClipByValueTest, OtherClippings_AreNotAsked) {
  PlantedRun run = clamped();
  run.provenance["recipe"]["clip"] = {{"value", 0.125}, {"max_norm", 1.0}};
  EXPECT_THAT(ask(ask_clip, run).why, HasSubstr("by norm and by value"));
  run.provenance["recipe"]["clip"] = {{"value", {0.1, 0.2}}};
  EXPECT_THAT(ask(ask_clip, run).why, HasSubstr("by several values"));
  run = clamped();
  drop(run, Phase::grad);
  const Finding finding = ask(ask_clip, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_THAT(finding.why, HasSubstr("no elements of gradients were recorded before and after"));
}

/// As a run that begins to clip, and then clips to other values.
TEST_F(ClipByValueTest, ValueThatChanges_IsThatOfTheUpdate) {
  PlantedRun run = clamped();
  run.provenance["recipe"] = {{"clip_changes",
                               {{{"step", 2}, {"clip", {{"value", 0.125}}}},
                                {{"step", 3}, {"clip", {{"value", 0.0625}}}},
                                {{"step", 4}, {"clip", Json::object()}}}}};
  std::erase_if(run.tensors, [](const PlantedTensor& each) {
    return each.key.phase == Phase::grad_clipped && (each.key.step == 1 || each.key.step == 4);
  });
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::departs) << "update 3 clips to the value before";
  EXPECT_EQ(ask(ask_clip, run).departures.front().step, 3);
  for (const std::string& name : names())
    for (float& value : tensor(run, 3, Phase::grad_clipped, name))
      value = std::clamp(value, -0.0625F, 0.0625F);
  const Finding finding = ask(ask_clip, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 10);
  EXPECT_THAT(notes(finding), HasSubstr("clipped by value to 0.0625 up to 0.125: "));
}

TEST_F(ClipByValueTest, ValuesOfSets_AreThoseOfTheirCalls) {
  PlantedRun run = clamped();
  const std::vector<std::string> others(names().begin(), names().end() - 1);
  run.provenance["recipe"]["clip"] = {
      {"value", {0.0625, 0.125}},
      {"values", {{{"names", others}, {"value", 0.125}}, {{"names", {"norm.weight"}}, {"value", 0.0625}}}}};
  EXPECT_THAT(sentence(ask(ask_clip, run)),
              HasSubstr("norm.weight: elements are larger than the clip value 0.0625"));
  for (int64_t step = 1; step <= 4; ++step)
    for (float& value : clipped(run, step, "norm.weight"))
      value = std::clamp(value, -0.0625F, 0.0625F);
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::holds) << sentence(ask(ask_clip, run));
  run.provenance["recipe"]["clip"]["values"][0]["value"] = NAN;
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::not_asked);
}

TEST_F(ClipByValueTest, GradientThatIsLeftOut_IsNamed) {
  PlantedRun run = clamped();
  std::erase_if(run.tensors, [](const PlantedTensor& each) {
    return each.key.phase == Phase::grad_clipped && each.key.name == "norm.weight";
  });
  const Finding finding = ask(ask_clip, run);
  EXPECT_EQ(finding.answer(), Answer::holds);
  EXPECT_THAT(notes(finding),
              HasSubstr("norm.weight is not clipped by value at 4 updates that clip others: its elements "
                        "reach 0.31"));
  EXPECT_THAT(notes(ask(ask_clip, clamped())), testing::Not(HasSubstr("is not clipped")));
}

TEST_F(ClipByValueTest, UnrecordedChange_IsNotAsked) {
  PlantedRun run = clamped();
  run.provenance["recipe"]["clip_changes"] = {{{"step", 4}, {"clip", nullptr}}};
  tensor(run, 4, Phase::grad_clipped, "norm.weight")[0] = 7;
  const Finding finding = ask(ask_clip, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("1 updates are not asked: the run clips by limits that change"));
}

TEST_F(ClipByValueTest, ConfigNumber_IsNoNorm) {
  PlantedRun run = clamped();
  run.config["gradient_clip_val"] = 0.125;
  EXPECT_EQ(RecordedRun(*write("run", run)).max_norm(1), std::nullopt);
  run.provenance["recipe"].erase("clip");
  EXPECT_EQ(RecordedRun(*write("other", run)).max_norm(1), 0.125);
}

}  // namespace
}  // namespace parity::laws
