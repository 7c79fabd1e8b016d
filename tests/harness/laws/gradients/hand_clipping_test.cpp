// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The law "grad_norm" of trainers that clip by lines of their own, which the recorder of Python does not see.
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;
using testing::Not;

class HandClippingTest : public LawTest {
 protected:
  /// A run whose phase `grad` is after clipping, as its recipe has no clipping function.
  static PlantedRun clipped_by_hand() {
    PlantedRun run = trained();
    for (PlantedTensor& each : run.tensors)
      if (each.key.phase == Phase::grad)
        each.key.phase = Phase::grad_local;
      else if (each.key.phase == Phase::grad_clipped)
        each.key.phase = Phase::grad;
    run.config.erase("clip");
    run.provenance["recipe"] = {{"optimizers", {"AdamW"}}, {"parameters", {{"count", 5}}}};
    return run;
  }
  static void scale_norm(PlantedRun& run, double factor) {
    for (double& value : channel(run, "grad_norm"))
      value *= factor;
  }
};

TEST_F(HandClippingTest, NormBeforeClipping_Holds) {
  const Finding finding = ask(ask_grad_norm, clipped_by_hand());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding) << finding.why;
  EXPECT_EQ(finding.checked, 4);
  EXPECT_THAT(notes(finding), HasSubstr("the trainer clips to 0.5 itself: at 4 update(s)"));
}

TEST_F(HandClippingTest, RootOfTwo_IsNamed) {
  PlantedRun run = clipped_by_hand();
  scale_norm(run, std::sqrt(2));
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("the norm times the root of 2; 4 updates"));
  scale_norm(run, 1.01);
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("no part of the gradients gives it"));
}

TEST_F(HandClippingTest, WithoutLocalGradients_IsNotAsked) {
  PlantedRun run = clipped_by_hand();
  drop(run, Phase::grad_local);
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked) << sentence(finding);
  EXPECT_THAT(finding.why, HasSubstr("the trainer may have clipped them itself"));
  EXPECT_THAT(finding.why, Not(HasSubstr("missing")));
  run.provenance["recipe"]["parameters"]["count"] = 6;
  EXPECT_THAT(ask(ask_grad_norm, run).why, HasSubstr("others may be missing"));
}

/// What the recorder saw clip, it recorded before that.
TEST_F(HandClippingTest, CompleteGradientsBeforeClipping_Depart) {
  PlantedRun run = trained();
  run.provenance["recipe"] = {{"parameters", {{"count", 6}, {"frozen", {{"bias", 1}}}}}};
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::holds);
  scale_norm(run, 1.37);
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("no part of the gradients gives it"));
  run.provenance["recipe"]["parameters"]["count"] = 7;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::not_asked);
}

/// A factor for each tensor, or norms that differ, are not a clipping.
TEST_F(HandClippingTest, OtherScaling_IsNotTakenForClipping) {
  PlantedRun run = clipped_by_hand();
  for (int64_t s = 1; s <= 4; ++s)
    scale(tensor(run, s, Phase::grad, "norm.weight"), 0.5F);
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::not_asked) << "one tensor has another factor";
  run = clipped_by_hand();
  for (const std::string& name : names())
    scale(tensor(run, 3, Phase::grad, name), 0.9F);
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::not_asked) << "one update has another norm";
  scale_norm(run, 0.1);
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::departs) << "less than after any clipping";
}

TEST_F(HandClippingTest, OneUpdate_NeedsTheLimit) {
  PlantedRun run = clipped_by_hand();
  std::erase_if(run.tensors, [](const PlantedTensor& each) { return each.key.step > 1; });
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::not_asked);
  run.config["clip"]["max_norm"] = 0.5;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::holds);
  run.config["clip"]["max_norm"] = 0.4;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::not_asked);
}

TEST_F(HandClippingTest, NanBeforeClipping_Departs) {
  PlantedRun run = clipped_by_hand();
  channel(run, "grad_norm")[1] = NAN;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::departs);
}

}  // namespace
}  // namespace parity::laws
