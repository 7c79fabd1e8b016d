// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

class ClipLawTest : public LawTest {};

TEST_F(ClipLawTest, OneFactor_HoldsWithItsConvention) {
  const Finding finding = ask(ask_clip, trained());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("active at 4 updates, by max_norm / (grad_norm + 1e-6)"));
}

TEST_F(ClipLawTest, WithoutMargin_IsAConvention) {
  Training training;
  training.margin = 0;
  const Finding finding = ask(ask_clip, trained(training));
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("by max_norm / grad_norm without 1e-6"));
}

TEST_F(ClipLawTest, OtherFactorOfOneTensor_IsNamed) {
  PlantedRun run = trained();
  scale(tensor(run, 3, Phase::grad_clipped, "norm.weight"), 1.5F);
  const Finding finding = ask(ask_clip, run);
  ASSERT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding), HasSubstr("norm.weight: scaled by"));
  EXPECT_EQ(finding.departures.front().step, 3);
  EXPECT_NEAR(*finding.departures.front().factor, 1.5, 1e-6);
}

TEST_F(ClipLawTest, TensorLeftOut_IsNamed) {
  PlantedRun run = trained();
  for (int64_t s = 1; s <= 4; ++s)
    for (const char* name : {"layers.0.wv.weight", "layers.1.wv.weight"})
      tensor(run, s, Phase::grad_clipped, name) = tensor(run, s, Phase::grad, name);
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("layers.*.wv.weight: not clipped, where the others"));
}

TEST_F(ClipLawTest, NoClipping_IsNamed) {
  PlantedRun run = trained();
  for (const std::string& name : names())
    tensor(run, 2, Phase::grad_clipped, name) = tensor(run, 2, Phase::grad, name);
  const Finding finding = ask(ask_clip, run);
  EXPECT_THAT(sentence(finding), HasSubstr("gradients are not clipped although grad_norm"));
  EXPECT_EQ(finding.departures.front().step, 2);
}

TEST_F(ClipLawTest, ClippingByValue_IsNamed) {
  PlantedRun run = trained();
  for (const std::string& name : names()) {
    std::vector<float>& clipped = tensor(run, 1, Phase::grad_clipped, name);
    clipped = tensor(run, 1, Phase::grad, name);
    for (float& value : clipped)
      value = std::clamp(value, -0.25F, 0.25F);
  }
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("elements cut off at 0.25 (clipping by value)"));
}

TEST_F(ClipLawTest, FactorTwice_IsNamed) {
  PlantedRun run = trained();
  for (const std::string& name : names()) {
    std::vector<float>& clipped = tensor(run, 1, Phase::grad_clipped, name);
    scale(clipped, clipped[5] / tensor(run, 1, Phase::grad, name)[5]);
  }
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("the factor is applied twice"));
}

TEST_F(ClipLawTest, ScaledUp_IsNamed) {
  Training training;
  training.max_norm = 1000;
  PlantedRun run = trained(training);
  EXPECT_THAT(notes(ask(ask_clip, run)), HasSubstr("clipping was never active"));
  const auto factor = static_cast<float>(1000 / channel(run, "grad_norm")[0]);
  for (const std::string& name : names())
    scale(tensor(run, 1, Phase::grad_clipped, name), factor);
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("a norm below max_norm is scaled up to it"));
}

TEST_F(ClipLawTest, UnknownMaxNorm_IsInferred) {
  PlantedRun run = trained();
  run.config.erase("clip");
  const Finding finding = ask(ask_clip, run);
  EXPECT_EQ(finding.answer(), Answer::holds);
  EXPECT_THAT(notes(finding), HasSubstr("max_norm was not recorded; the factors give 0.5"));
}

TEST_F(ClipLawTest, OnePhase_IsNotAsked) {
  PlantedRun run = trained();
  drop(run, Phase::grad_clipped);
  const Finding finding = ask(ask_clip, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_THAT(finding.record, HasSubstr("grad_clipped"));
}

TEST_F(ClipLawTest, NotANumber_Departs) {
  PlantedRun run = trained();
  tensor(run, 2, Phase::grad_clipped, "norm.weight")[3] = NAN;
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::departs);
}

}  // namespace
}  // namespace parity::laws
