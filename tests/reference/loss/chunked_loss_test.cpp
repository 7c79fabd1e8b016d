// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/chunked_loss.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/loss/token_cross_entropy.hpp"

namespace parity::reference {
namespace {

// B = 2, S = 6, D = 3, V = 5; one matrix before the hidden states represents the decoder.
struct Problem {
  torch::Tensor x_BSD, decoder_DD, weight_VD, labels_BS;

  explicit Problem(torch::ScalarType dtype = torch::kFloat64) {
    torch::manual_seed(5);
    x_BSD = torch::randn({2, 6, 3}, torch::kFloat64).to(dtype);
    decoder_DD = torch::randn({3, 3}, torch::kFloat64).to(dtype).requires_grad_();
    weight_VD = torch::randn({5, 3}, torch::kFloat64).to(dtype).requires_grad_();
    labels_BS = torch::tensor({0, 1, -100, 3, 4, 0, -100, 2, 3, 1, 0, 4}).view({2, 6});
  }
  torch::Tensor hidden() const { return at::matmul(x_BSD, decoder_DD); }
  ChunkedLoss chunked(const torch::Tensor& hidden, int64_t chunks) const {
    return chunked_loss(
        hidden, labels_BS, chunks, [this](const torch::Tensor& h) { return at::linear(h, weight_VD); },
        [](const torch::Tensor& logits, const torch::Tensor& labels) {
          return token_cross_entropy_sum(logits, labels) / 10;
        });
  }
};

TEST(ChunkedLossTest, GivesTheWholeLossAndItsGradients) {
  const Problem whole;
  const torch::Tensor loss =
      token_cross_entropy_sum(at::linear(whole.hidden(), whole.weight_VD), whole.labels_BS) / 10;
  loss.backward();
  for (const int64_t chunks : {1, 2, 3, 4, 6, 12}) {
    const Problem parts;
    const torch::Tensor hidden = parts.hidden();
    const ChunkedLoss chunked = parts.chunked(hidden, chunks);
    EXPECT_FALSE(parts.decoder_DD.grad().defined()) << "backward went on beyond the hidden states";
    hidden.backward(chunked.hidden_grad);
    EXPECT_NEAR(chunked.loss.item<double>(), loss.item<double>(), 1e-15) << chunks;
    EXPECT_TRUE(torch::allclose(parts.weight_VD.grad(), whole.weight_VD.grad(), 1e-14, 1e-15)) << chunks;
    EXPECT_TRUE(torch::allclose(parts.decoder_DD.grad(), whole.decoder_DD.grad(), 1e-14, 1e-15)) << chunks;
  }
}

TEST(ChunkedLossTest, AChunkLeftOutOrTwiceWouldShow) {
  const Problem problem;
  const torch::Tensor hidden = problem.hidden();
  const torch::Tensor gradient = problem.chunked(hidden, 4).hidden_grad.flatten(0, 1);
  for (int64_t t = 0; t < 12; ++t)
    EXPECT_EQ(gradient[t].abs().max().item<double>() > 0, problem.labels_BS.flatten()[t].item<int64_t>() >= 0)
        << "token " << t;
}

TEST(ChunkedLossTest, KeepsHiddenDtype_SumsInFloat32OrWider) {
  for (const auto dtype : {torch::kBFloat16, torch::kFloat32, torch::kFloat64}) {
    const Problem problem(dtype);
    const ChunkedLoss chunked = problem.chunked(problem.hidden(), 3);
    EXPECT_EQ(chunked.hidden_grad.scalar_type(), dtype);
    EXPECT_EQ(chunked.loss.scalar_type(), dtype == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32);
  }
}

TEST(ChunkedLossTest, RefusesChunksThatAreNotEqual) {
  const Problem problem;
  EXPECT_THROW(problem.chunked(problem.hidden(), 5), InternalError);
  EXPECT_THROW(problem.chunked(problem.hidden(), 0), InternalError);
}

}  // namespace
}  // namespace parity::reference
