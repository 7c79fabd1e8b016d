// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Defects of loss normalization, planted in a config or in the PyTorch witness, each found where it first
// shows.
#include <gmock/gmock.h>

#include "tests/end_to_end/trained_case.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"

namespace parity {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LossDefectsTest : public TrainedCaseTest {
 protected:
  /// parity-train and the PyTorch witness, `before` in it replaced by `after`, both with `config`: one check
  /// of the first loss, one of the gradient norms.
  Json run_witness(const std::string& config, const std::string& before, const std::string& after) const {
    const std::string command = "command = [\"" + places::python + "\", \"" +
                                changed_witness(before, after).string() + "\", \"{trace:parity_train}\"]\n";
    return run_trainer(base() + "[capture]\nreplay = true\n" + no_golden() + "[arms.parity_train]\n" +
                       config + "[arms.pytorch]\n" + config + command +
                       check("channel = \"loss\"", "identical", "steps = [1, 1]") +
                       check("channel = \"grad_norm\"", "identical"));
  }
};

TEST_F(LossDefectsTest, ZeroingForwardBackward_ShowsInFirstGradNorm) {
  const std::string micro_batches = "data.micro_batches = 2\n";
  const Json item = run_trainer(base() + no_golden() +
                                arms(micro_batches, micro_batches + "train.update = \"halves_zeroing\"") +
                                check("channel = [\"loss\", \"grad_norm\"]", "identical"));
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(sentence(item), AllOf(HasSubstr("grad_norm of wrong"), HasSubstr("step 1")));
}

TEST_F(LossDefectsTest, TokensCountedTwice_ShowInGradNormNotFirstLoss) {
  if (!places::has_pytorch)
    GTEST_SKIP() << needs_pytorch;
  const std::string config = "data.micro_batches = 2\nloss.normalization = \"gradient_scaling\"\n";
  const Json item = run_witness(config, "1 / valid)", "1 / (2 * valid))");
  EXPECT_TRUE(item.at("checks").at(0).at("passed").get<bool>()) << sentence(item, 0);
  EXPECT_FALSE(item.at("checks").at(1).at("passed").get<bool>());
  EXPECT_THAT(sentence(item, 1), AllOf(HasSubstr("grad_norm of pytorch"), HasSubstr("step 1")));
}

TEST_F(LossDefectsTest, MisplacedChunkGradient_ShowsInGradNorm) {
  if (!places::has_pytorch)
    GTEST_SKIP() << needs_pytorch;
  const Json item = run_witness("loss.chunks = 8\n", "torch.cat(gradients)", "torch.cat(gradients[::-1])");
  EXPECT_TRUE(item.at("checks").at(0).at("passed").get<bool>()) << sentence(item, 0);
  EXPECT_FALSE(item.at("checks").at(1).at("passed").get<bool>());
  EXPECT_THAT(sentence(item, 1), AllOf(HasSubstr("grad_norm of pytorch"), HasSubstr("step 1")));
}

TEST_F(LossDefectsTest, TheWitnessItselfAgrees) {
  if (!places::has_pytorch)
    GTEST_SKIP() << needs_pytorch;
  const Json item = run_witness("loss.chunks = 8\n", "torch.cat(gradients)", "torch.cat(gradients)");
  EXPECT_TRUE(item.at("passed").get<bool>()) << failures(item);
}

}  // namespace
}  // namespace parity
