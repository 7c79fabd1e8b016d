// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "reference/data/loader.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

/// Four rows with unequal numbers of valid tokens, in float64.
RunConfig config_with(int64_t micro_batches, Normalization normalization) {
  RunConfig config = tiny_config(Precision::float64);
  config.data.micro_batches = micro_batches;
  config.data.ignore_fraction = 0.4;
  config.loss.normalization = normalization;
  return config;
}

/// Gradients of the first update as the norm is taken of them.
std::vector<torch::Tensor> first_gradients(const RunConfig& config) {
  Trainer trainer(config);
  std::vector<torch::Tensor> gradients;
  trainer.set_phase_hook([&](trace::Phase phase) {
    for (const Parameter& parameter : trainer.parameters())
      if (phase == trace::Phase::grad)
        gradients.push_back(parameter.value.grad().clone());
  });
  trainer.step();
  return gradients;
}

/// Largest relative L2 distance of a gradient.
double gradient_gap(const RunConfig& a, const RunConfig& b) {
  const std::vector<torch::Tensor> expected = first_gradients(a), actual = first_gradients(b);
  EXPECT_EQ(expected.size(), actual.size());
  double largest = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, ((actual[i] - expected[i]).norm() / expected[i].norm()).item<double>());
  return largest;
}

/// Between 1 micro-batch of 4 rows and 4 of 1.
double gap_of_cuts(Normalization normalization) {
  return gradient_gap(config_with(1, normalization), config_with(4, normalization));
}

TEST(AccumulationTest, MicroBatchesDifferInValidTokens) {
  Trainer trainer(config_with(4, Normalization::global_tokens));
  const UpdateBatches batches = trainer.next_batches();
  EXPECT_NE(batches.micro_batches[0].valid_tokens, batches.micro_batches[1].valid_tokens);
}

TEST(AccumulationTest, GlobalTokens_SameGradientForAnyCut) {
  EXPECT_LE(gap_of_cuts(Normalization::global_tokens), 1e-13);
}

TEST(AccumulationTest, GradientScaling_EqualsGlobalTokensForAnyCut) {
  EXPECT_LE(gap_of_cuts(Normalization::gradient_scaling), 1e-13);
  EXPECT_LE(gradient_gap(config_with(4, Normalization::global_tokens),
                         config_with(4, Normalization::gradient_scaling)),
            1e-13);
}

TEST(AccumulationTest, MicrobatchMean_DiffersWhereTokenCountsDiffer) {
  EXPECT_GE(gap_of_cuts(Normalization::microbatch_mean), 1e-2);
}

TEST(AccumulationTest, LossAndBatchesAgreeBetweenCuts) {
  for (const Normalization normalization : {Normalization::global_tokens, Normalization::gradient_scaling}) {
    Trainer whole(config_with(1, normalization)), parts(config_with(4, normalization));
    for (int step = 0; step < 3; ++step) {
      const StepResult a = whole.step(), b = parts.step();
      EXPECT_NEAR(a.loss, b.loss, 1e-13 * a.loss);
      EXPECT_EQ(a.valid_tokens, b.valid_tokens);
      EXPECT_EQ(a.batch_digest, b.batch_digest);
    }
  }
}

TEST(AccumulationTest, ChunksChangeLossAndGradientByRoundingOnly) {
  for (const Normalization normalization :
       {Normalization::global_tokens, Normalization::microbatch_mean, Normalization::gradient_scaling}) {
    RunConfig chunked = config_with(2, normalization);
    chunked.loss.chunks = 8;
    const double gap = gradient_gap(config_with(2, normalization), chunked);
    EXPECT_LE(gap, 1e-13) << name_of(normalization);
    EXPECT_GT(gap, 0) << "chunks did nothing";
    Trainer a(config_with(2, normalization)), b(chunked);
    const double loss = a.step().loss;
    EXPECT_NEAR(b.step().loss, loss, 1e-14 * loss);
  }
}

TEST(AccumulationTest, Stream_FetchesNextMicroBatchAfterThePrevious) {
  RunConfig config = config_with(4, Normalization::gradient_scaling);
  const auto sequences_read_before_each_forward = [&](Accumulation accumulation) {
    config.loss.accumulation = accumulation;
    Trainer trainer(config);
    std::vector<int64_t> read;
    trainer.set_batch_hook(
        [&](int64_t, int64_t, const MicroBatch&) { read.push_back(trainer.sequences_read()); });
    trainer.step();
    return read;
  };
  EXPECT_EQ(sequences_read_before_each_forward(Accumulation::prefetched), (std::vector<int64_t>{4, 4, 4, 4}));
  EXPECT_EQ(sequences_read_before_each_forward(Accumulation::streamed), (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(AccumulationTest, AStreamedUpdateHasTheBitsOfAPrefetchedOne) {
  RunConfig config = config_with(4, Normalization::gradient_scaling);
  config.dtype = Precision::float32;
  Trainer prefetched(config);
  config.loss.accumulation = Accumulation::streamed;
  Trainer streamed(config);
  for (int step = 0; step < 3; ++step) {
    const StepResult a = prefetched.step(), b = streamed.step();
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(a.grad_norm, b.grad_norm);
    EXPECT_EQ(a.update_norm, b.update_norm);
    EXPECT_EQ(a.batch_digest, b.batch_digest);
    EXPECT_EQ(a.valid_tokens, b.valid_tokens);
    EXPECT_EQ(a.tokens, b.tokens);
  }
}

}  // namespace
}  // namespace parity::reference
