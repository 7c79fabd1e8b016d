// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The law "grad_norm" of trainers that clip by lines of their own, which the recorder of Python does not see.
#include <functional>

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
  static double norm_of(PlantedRun& run, int64_t step,
                        const std::function<double(const std::string&)>& weight) {
    double square = 0;
    for (const std::string& name : names())
      for (const float value : tensor(run, step, Phase::grad_local, name))
        square += weight(name) * value * value;
    return std::sqrt(square);
  }
  /// Scales the gradients by max_norm / norm, and records this norm.
  static void clip_by(PlantedRun& run, const std::function<double(PlantedRun&, int64_t)>& norm,
                      double max_norm = 0.5) {
    for (int64_t s = 1; s <= 4; ++s) {
      channel(run, "grad_norm")[static_cast<size_t>(s - 1)] = norm(run, s);
      for (const std::string& name : names()) {
        std::vector<float>& after = tensor(run, s, Phase::grad, name);
        after = tensor(run, s, Phase::grad_local, name);
        scale(after, static_cast<float>(max_norm / (norm(run, s) + 1e-6)));
      }
    }
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

TEST_F(HandClippingTest, NormAfterClipping_IsNamed) {
  PlantedRun run = clipped_by_hand();
  for (int64_t s = 1; s <= 4; ++s) {
    double square = 0;
    for (const std::string& name : names())
      for (const float value : tensor(run, s, Phase::grad, name))
        square += static_cast<double>(value) * value;
    channel(run, "grad_norm")[static_cast<size_t>(s - 1)] = std::sqrt(square);
  }
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding), HasSubstr("it equals the norm of the clipped gradients; 4 updates"));
  scale_norm(run, 1.001);
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("no part of the gradients gives it"));
}

/// The trainer divides by the norm that it records, in which one tensor counts twice.
TEST_F(HandClippingTest, WrongNormThatClips_IsNamed) {
  PlantedRun run = clipped_by_hand();
  clip_by(run, [](PlantedRun& each, int64_t s) {
    return norm_of(each, s, [](const std::string& name) { return name == "norm.weight" ? 2 : 1; });
  });
  const Finding finding = ask(ask_grad_norm, run);
  ASSERT_EQ(finding.answer(), Answer::departs) << finding.why << finding.record;
  EXPECT_THAT(sentence(finding), HasSubstr("the norm that counts norm.weight 2 times; 4 updates"));
  EXPECT_THAT(notes(finding), HasSubstr("the trainer clips to 0.5 itself"));
}

TEST_F(HandClippingTest, LargestElementThatClips_Holds) {
  PlantedRun run = clipped_by_hand();
  const auto largest = [](PlantedRun& each, int64_t s) {
    double found = 0;
    for (const std::string& name : names())
      for (const float value : tensor(each, s, Phase::grad_local, name))
        found = std::max(found, std::abs(static_cast<double>(value)));
    return found;
  };
  clip_by(run, largest, 0.05);
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("grad_norm is the norm of order inf"));
  clip_by(run, [&](PlantedRun& each, int64_t s) { return 1.01 * largest(each, s); }, 0.05);
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::departs);
}

/// Gradients that nothing scaled were not clipped, so their norm is what the channel should have.
TEST_F(HandClippingTest, UnscaledGradients_Depart) {
  PlantedRun run = clipped_by_hand();
  for (int64_t s = 1; s <= 4; ++s)
    for (const std::string& name : names())
      tensor(run, s, Phase::grad, name) = tensor(run, s, Phase::grad_local, name);
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::holds);
  scale_norm(run, 1.37);
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("no part of the gradients gives it"));
}

/// What was recorded is not asked for again.
TEST_F(HandClippingTest, UnknownScaling_DoesNotAskForGradLocal) {
  PlantedRun run = clipped_by_hand();
  for (int64_t s = 1; s <= 4; ++s)
    for (const std::string& name : names())
      scale(tensor(run, s, Phase::grad, name), static_cast<float>(s) / 8);
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked) << sentence(finding);
  EXPECT_THAT(finding.record, Not(HasSubstr("phase grad_local")));
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
