// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults planted by one key of the config: the search names the step, the phase and the tensor where that key
// first affects an update.
#include <gmock/gmock.h>

#include "harness/bisect/runs/search_run.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {

/// A key with two values, and where the second value shows first.
struct OptionFault {
  const char* name;
  const char* right;
  const char* wrong;
  int64_t step;
  const char* phase;
  const char* tensor;
  const char* why;  ///< part of the sentence
};

#define ROLLOUTS                                                                                             \
  "data.source = \"rollouts\"\ndata.ignore_fraction = 0\ndata.global_batch = 16\narchitecture.vocab_size = " \
  "12\n"

constexpr OptionFault faults[] = {
    {"ignored_labels", "", "data.ignore_fraction = 0.4", 1, "input", "labels",
     "the sides read different data"},
    {"first_weights", "", "seed = 43", 0, "param", "tok_embeddings.weight", "start from different weights"},
    {"mask", "", "attention.sliding_window = 8", 1, "input", "first_keys", "the sides mask different pairs"},
    {"norm_eps", "", "architecture.norm_eps = 1e-3", 1, "forward", "layers.0.attention_norm",
     "aten::rms_norm of layers.0.attention_norm receives a different eps: 1e-05 against 0.001"},
    {"rope_theta", "", "architecture.rope_theta = 1e3", 1, "forward", "layers.0.attention.k",
     "aten::mul of layers.0.attention receives a different other"},
    {"loss_mean", "data.micro_batches = 2",
     "data.micro_batches = 2\nloss.normalization = \"microbatch_mean\"", 1, "backward", "output",
     "aten::cross_entropy_loss of loss receives a different reduction: 2 against 1"},
    {"clipping", "clip.max_norm = 0.5", "clip.max_norm = 0.4", 1, "grad_clipped", "tok_embeddings.weight",
     "aten::mul of clip receives a different other: 0.5 against 0.4"},
    {"second_moment", "", "optimizer.beta2 = 0.9", 1, "optim", "exp_avg_sq/tok_embeddings.weight",
     "receives a different beta2: 0.95 against 0.9"},
    {"optimizer_eps", "", "optimizer.eps = 1e-6", 1, "param", "tok_embeddings.weight",
     "receives a different eps: 1e-08 against 1e-06"},
    {"decay_of_rate", "lr.schedule = \"titan\"\nlr.decay_ratio = 0.3",
     "lr.schedule = \"titan\"\nlr.decay_ratio = 0.5", 7, "param", "tok_embeddings.weight",
     "lr of update 7 is"},
    {"advantages", ROLLOUTS, ROLLOUTS "rl.advantage = \"population_std\"", 1, "backward", "output",
     "receives a different self, which no earlier operator computed"},
    {"ratio_of_a_policy", ROLLOUTS "rl.push_every = 3", ROLLOUTS "rl.push_every = 3\nrl.loss = \"dapo\"", 2,
     "backward", "output", "beyond rounding, backward output at step 3 is the first tensor that differs"},
    {"divergence", ROLLOUTS "rl.reference = \"always\"",
     ROLLOUTS "rl.reference = \"always\"\nrl.kl_coef = 0.5", 2, "backward", "output",
     "aten::mul of loss receives a different other: 0 against 0.5"},
    {"sampling", ROLLOUTS, ROLLOUTS "rl.temperature = 0.5", 1, "input", "tokens",
     "the sides read different data"},
};

class OptionFaultTest : public TrainedCaseTest, public testing::WithParamInterface<OptionFault> {};

TEST_P(OptionFaultTest, IsFoundWhereTheKeyTakesPart) {
  const OptionFault& fault = GetParam();
  const suite::Case source =
      write_case("c", base("attention.backend = \"flex\"\n") + arms(fault.right, fault.wrong) +
                          check("channel = \"loss\"", "identical") + no_golden());
  Progress progress(stderr, false);
  const bisect::SearchRecord record = bisect::search_run({source, "right", "wrong"}, options(), progress);
  EXPECT_TRUE(record.differs) << record.sentence;
  const auto stage = std::ranges::find(record.stages, "tensor", &bisect::SearchStage::name);
  ASSERT_NE(stage, record.stages.end()) << record.sentence;
  EXPECT_EQ(stage->details.at("step"), fault.step) << record.sentence;
  EXPECT_EQ(stage->details.at("phase"), fault.phase) << record.sentence;
  EXPECT_EQ(stage->details.at("name"), fault.tensor) << record.sentence;
  EXPECT_THAT(record.sentence, testing::HasSubstr(fault.why));
}

INSTANTIATE_TEST_SUITE_P(, OptionFaultTest, testing::ValuesIn(faults),
                         [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace parity
