// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// QK-clip in the model: the largest logits, and factors of rows that are factors of logits.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/model/decoder/decoder.hpp"
#include "reference/model/decoder/qk_rows.hpp"
#include "tests/reference/tiny_latent.hpp"

namespace parity::reference {
namespace {

torch::Tensor normal(at::IntArrayRef shape) {
  return torch::randn(shape, torch::kFloat64);
}

TEST(LargestLogitTest, LooksAtThePairsThatAttend) {
  torch::manual_seed(3);
  const torch::Tensor q = normal({2, 4, 6, 8}), k = normal({2, 2, 6, 8});
  const torch::Tensor allowed = torch::rand({2, 1, 6, 6}).gt(0.5).logical_or(torch::eye(6).gt(0));
  const torch::Tensor causal = largest_logits(q, k, {}),
                      dense =
                          largest_logits(q, k, {.backend = AttentionBackend::dense, .allowed_B1SS = allowed});
  for (int64_t h = 0; h < 4; ++h) {
    double of_causal = -1e9, of_dense = -1e9;
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < 6; ++i)
        for (int64_t j = 0; j < 6; ++j) {
          const double logit = q[b][h][i].dot(k[b][h / 2][j]).item<double>() / std::sqrt(8.0);
          if (j <= i)
            of_causal = std::max(of_causal, logit);
          if (allowed[b][0][i][j].item<bool>())
            of_dense = std::max(of_dense, logit);
        }
    EXPECT_NEAR(causal[h].item<double>(), of_causal, 1e-14);  // a product of 8 terms of order 1
    EXPECT_NEAR(dense[h].item<double>(), of_dense, 1e-14);
  }
  EXPECT_THROW(largest_logits(q, k, {.backend = AttentionBackend::varlen}), InternalError);
}

TEST(LargestLogitTest, ANanIsTheLargest) {
  torch::Tensor q = torch::ones({1, 2, 3, 4}), k = torch::ones({1, 2, 3, 4});
  q[0][1][2][0] = std::numeric_limits<double>::quiet_NaN();
  const torch::Tensor largest = largest_logits(q, k, {});
  EXPECT_TRUE(largest[0].isfinite().item<bool>());
  EXPECT_TRUE(largest[1].isnan().item<bool>());
}

TEST(LogitTallyTest, KeepsTheLargestOfAnUpdate) {
  LogitTally tally;
  tally.add(torch::tensor({1.0, -3.0}));
  tally.add(torch::tensor({0.5, -2.0}));
  EXPECT_TRUE(tally.largest_H.equal(torch::tensor({1.0, -2.0})));
  tally.clear();
  EXPECT_FALSE(tally.largest_H.defined());
}

/// Models of every kind of head: own keys, shared keys, latents with and without a latent of queries.
class QkRowsTest : public testing::TestWithParam<const char*> {
 protected:
  static ModelDimensions dimensions() {
    const std::string kind = GetParam();
    ModelDimensions d = kind == "Latent"               ? tiny_latent(0)
                        : kind == "LatentOfQueriesToo" ? tiny_latent(10)
                                                       : tiny_dimensions();
    if (kind == "OwnKeys")
      d.n_kv_heads = d.n_heads;
    return d;
  }
  static std::vector<torch::Tensor> largest_of_blocks(const Decoder& model) {
    model.forward(torch::arange(12).view({1, 12}) * 3);
    std::vector<torch::Tensor> all;
    for (const auto& [layer, tally] : model.logit_tallies()) {
      all.push_back(tally->largest_H.clone());
      tally->clear();
    }
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(, QkRowsTest,
                         testing::Values("OwnKeys", "SharedKeys", "Latent", "LatentOfQueriesToo"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(QkRowsTest, FactorsOfRowsAreFactorsOfLogits) {
  Decoder model(dimensions(), torch::kFloat64);
  initialize(model, 4);
  model.begin_counting_logits();
  const torch::Tensor before = largest_of_blocks(model).at(0);
  const torch::Tensor gamma = torch::tensor({0.25, 1.0, 0.5, 0.75}, torch::kFloat64);
  int64_t scaled = 0;
  for (const RowFactors& rows : qk_row_factors(model.dimensions(), 0, gamma))
    model.visit_weights([&](const std::string& name, torch::Tensor& weight) {
      if (name != rows.weight)
        return;
      ASSERT_EQ(rows.factors_R.size(0), weight.size(0)) << name;
      weight.detach().mul_(rows.factors_R.unsqueeze(1));
      ++scaled;
    });
  EXPECT_EQ(scaled, std::string(GetParam()) == "SharedKeys" ? 1 : 2);
  EXPECT_TRUE(largest_of_blocks(model).at(0).allclose(before * gamma, 1e-12, 1e-14));
}

TEST_P(QkRowsTest, ValuesAndOtherHeadsStay) {
  const ModelDimensions d = dimensions();
  torch::Tensor gamma = torch::ones({4}, torch::kFloat64);
  for (const RowFactors& rows : qk_row_factors(d, 1, gamma))
    EXPECT_TRUE(rows.factors_R.eq(1).all().item<bool>()) << rows.weight;
  gamma[2] = 0.25;
  for (const RowFactors& rows : qk_row_factors(d, 1, gamma)) {
    const torch::Tensor by_head = rows.factors_R.view({4, -1});
    EXPECT_TRUE(by_head[0].eq(1).all().item<bool>() && by_head[1].eq(1).all().item<bool>() &&
                by_head[3].eq(1).all().item<bool>())
        << rows.weight;
    if (rows.weight.find("wkv_b") != std::string::npos)
      EXPECT_TRUE(by_head[2].narrow(0, d.latent.nope_width, d.latent.value_width).eq(1).all().item<bool>());
    else
      EXPECT_TRUE(by_head[2].lt(1).all().item<bool>());
  }
}

TEST(LogitTallyTest, CountsPassesWithGradientsOnly) {
  Decoder model(tiny_dimensions(), torch::kFloat32);
  initialize(model, 4);
  model.begin_counting_logits();
  {
    const torch::NoGradGuard no_grad;
    model.forward(torch::arange(12).view({1, 12}));
  }
  EXPECT_FALSE(model.logit_tallies().at(0)->largest_H.defined());
  model.forward(torch::arange(12).view({1, 12}));
  EXPECT_TRUE(model.logit_tallies().at(1)->largest_H.defined());
}

}  // namespace
}  // namespace parity::reference
