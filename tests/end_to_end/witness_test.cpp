// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// An ordinary PyTorch program as an arm: it repeats a run of the trainer from the run's own replay data.
#include <gmock/gmock.h>

#include "tests/end_to_end/trained_case.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"

namespace parity {
namespace {

class WitnessTest : public TrainedCaseTest {
 protected:
  void SetUp() override {
    TrainedCaseTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }
};

constexpr const char* preamble = R"(
[base]
model = "llama3.debug"
steps = 10
[base.data]
seq_len = 64
global_batch = 4
micro_batches = 2
ignore_fraction = 0.3
[capture]
replay = true
[golden]
arms = []
)";

std::string arms_with(const std::string& program) {
  return "[arms.parity_train]\n[arms.pytorch]\ncommand = [\"" + places::python + "\", \"" + program +
         "\", \"{trace:parity_train}\"]\n";
}

constexpr const char* same_bits = R"(
[[checks]]
channel = ["loss", "grad_norm", "lr"]
arms = ["parity_train", "pytorch"]
relation = "identical"
because = "the same operations on the same wheel in the same order give the same bits"
)";

TEST_F(WitnessTest, PyTorchOnReplayData_HasSameLossAndNormBits) {
  const Json item = run_trainer(
      preamble + arms_with(places::source + "/tests/support/pytorch/pytorch_llama.py") + same_bits);
  EXPECT_TRUE(item.at("passed").get<bool>()) << failures(item) << item.at("arms").dump(1);
  EXPECT_THAT(sentence(item), testing::HasSubstr("have the same bits over steps 1-10"));
}

TEST_F(WitnessTest, PyTorchClippingMore_IsFoundAtSecondUpdate) {
  const std::string limit = "model.parameters(), config[\"clip.max_norm\"]";
  const Json item =
      run_trainer(preamble + arms_with(changed_witness(limit, limit + " / 4").string()) + same_bits);
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(failures(item), testing::HasSubstr("step 2"));
}

}  // namespace
}  // namespace parity
