// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Gated delta nets: their weights, the rule written out with loops, chunks against tokens one by one,
// documents.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/model/decoder/decoder.hpp"
#include "reference/model/decoder/delta_rule.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/pytorch/pytorch_draws.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

ModelDimensions delta_dimensions(DeltaForm form, int64_t chunk = 5) {
  ModelDimensions d = tiny_dimensions();
  d.delta = {.attention_every = 2, .form = form, .chunk = chunk};
  return d;
}

/// Returns inputs of 2 rows, 3 heads, 11 positions, d = 4, e = 6. Decays span 1 to exp(-4).
DeltaInput random_input(const torch::Tensor& documents_BS = {}) {
  torch::manual_seed(5);
  const auto normal = [](at::IntArrayRef shape) { return torch::randn(shape, torch::kFloat64); };
  const torch::Tensor k = normal({2, 3, 11, 4});
  return {.q_BHSd = normal({2, 3, 11, 4}).requires_grad_(),
          .k_BHSd = (k / k.norm(2, -1, true)).requires_grad_(),
          .v_BHSe = normal({2, 3, 11, 6}).requires_grad_(),
          .g_BHS = (torch::rand({2, 3, 11}, torch::kFloat64) * -4).requires_grad_(),
          .beta_BHS = torch::rand({2, 3, 11}, torch::kFloat64).requires_grad_(),
          .documents_BS = documents_BS};
}

const torch::Tensor two_rows =
    torch::tensor({{1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3}, {1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3}});

/// Returns the largest relative gap of outputs and of gradients of inputs, the sum of squares as the loss.
double gap_between(const torch::Tensor& a, const torch::Tensor& b, const DeltaInput& input) {
  const std::vector<torch::Tensor> inputs = {input.q_BHSd, input.k_BHSd, input.v_BHSe, input.g_BHS,
                                             input.beta_BHS};
  const auto of_a = torch::autograd::grad({a.square().sum()}, inputs, {}, true);
  const auto of_b = torch::autograd::grad({b.square().sum()}, inputs, {}, true);
  double gap = ((a - b).norm() / b.norm()).item<double>();
  for (size_t i = 0; i < inputs.size(); ++i)
    gap = std::max(gap, ((of_a[i] - of_b[i]).norm() / of_b[i].norm()).item<double>());
  return gap;
}

/// Returns one head's output with the state as the sum of its terms: each token's write, decayed by what
/// follows.
std::vector<std::vector<double>> by_loops(const DeltaInput& input, int64_t row, int64_t head) {
  const auto q = input.q_BHSd.detach().select(0, row).select(0, head), k = input.k_BHSd.detach()[row][head],
             v = input.v_BHSe.detach()[row][head], g = input.g_BHS.detach()[row][head],
             beta = input.beta_BHS.detach()[row][head];
  const int64_t S = q.size(0), d = q.size(1), e = v.size(1);
  std::vector<std::vector<double>> writes, out;
  const auto decayed = [&](int64_t from, int64_t to) {  // of a write at `from`, seen by token `to`
    if (input.documents_BS.defined() && !input.documents_BS[row][from].equal(input.documents_BS[row][to]))
      return 0.0;
    double sum = 0;
    for (int64_t t = from + 1; t <= to; ++t)
      sum += g[t].item<double>();
    return std::exp(sum);
  };
  const auto dot = [&](const torch::Tensor& a, const torch::Tensor& b) {
    double sum = 0;
    for (int64_t i = 0; i < d; ++i)
      sum += a[i].item<double>() * b[i].item<double>();
    return sum;
  };
  for (int64_t t = 0; t < S; ++t) {
    std::vector<double> write(static_cast<size_t>(e)), o(static_cast<size_t>(e));
    for (int64_t j = 0; j < e; ++j) {
      double known = 0;
      for (int64_t s = 0; s < t; ++s)
        known += decayed(s, t) * dot(k[s], k[t]) * writes[static_cast<size_t>(s)][static_cast<size_t>(j)];
      write[static_cast<size_t>(j)] = beta[t].item<double>() * (v[t][j].item<double>() - known);
    }
    writes.push_back(write);
    for (int64_t j = 0; j < e; ++j)
      for (int64_t s = 0; s <= t; ++s)
        o[static_cast<size_t>(j)] +=
            decayed(s, t) * dot(k[s], q[t]) * writes[static_cast<size_t>(s)][static_cast<size_t>(j)];
    out.push_back(o);
  }
  return out;
}

// Sums of at most 11 products of numbers up to about 4 in two orders: 1e-13 is 2^10 roundings.
constexpr double rounding = 1e-13;

TEST(DeltaRuleTest, TokenByToken_FollowsTheSumOfDecayedWrites) {
  for (const torch::Tensor& documents : {torch::Tensor(), two_rows}) {
    const DeltaInput input = random_input(documents);
    const torch::Tensor out = recurrent_delta_rule(input);
    for (const auto& [row, head] : {std::pair{0, 0}, {1, 2}}) {
      const auto expected = by_loops(input, row, head);
      for (int64_t t = 0; t < 11; ++t)
        for (int64_t j = 0; j < 6; ++j)
          EXPECT_NEAR(out[row][head][t][j].item<double>(),
                      expected[static_cast<size_t>(t)][static_cast<size_t>(j)], rounding);
    }
  }
}

TEST(DeltaRuleTest, Chunks_AreTheRecurrenceForwardAndBackward) {
  for (const torch::Tensor& documents : {torch::Tensor(), two_rows})
    for (const int64_t chunk : {1, 2, 3, 4, 11, 64}) {
      const DeltaInput input = random_input(documents);
      EXPECT_LT(gap_between(chunked_delta_rule(input, chunk), recurrent_delta_rule(input), input), rounding)
          << chunk << (documents.defined() ? " with documents" : "");
    }
}

TEST(DeltaRuleTest, ForgottenStates_Show) {
  const DeltaInput input = random_input();
  const torch::Tensor whole = recurrent_delta_rule(input), forgetful = chunked_delta_rule(input, 4, false);
  EXPECT_TRUE(whole.narrow(2, 0, 4).allclose(forgetful.narrow(2, 0, 4), rounding, rounding));
  EXPECT_GT(gap_between(forgetful, whole, input), 1e-2);
}

TEST(DeltaRuleTest, DecaysThatUnderflow_LeaveNoNan) {
  DeltaInput input = random_input();
  input.g_BHS = torch::full({2, 3, 11}, -800.0, torch::kFloat64).requires_grad_();
  for (const torch::Tensor& out : {recurrent_delta_rule(input), chunked_delta_rule(input, 4)}) {
    const auto gradients = torch::autograd::grad({out.square().sum()}, {input.g_BHS, input.k_BHSd});
    EXPECT_TRUE(out.isfinite().all().item<bool>());
    for (const torch::Tensor& gradient : gradients)
      EXPECT_TRUE(gradient.isfinite().all().item<bool>());
  }
}

TEST(GatedDeltaNetTest, BlocksBetweenThoseThatAttendHaveIt) {
  ModelDimensions d = delta_dimensions(DeltaForm::chunked);
  d.n_layers = 4;
  Decoder model(d, torch::kFloat32);
  std::vector<std::string> attend, names;
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name.ends_with("attention.wq.weight"))
      attend.push_back(parameter.name);
    if (const std::string prefix = "layers.2.delta_net."; parameter.name.starts_with(prefix))
      names.push_back(parameter.name.substr(prefix.size()));
  }
  EXPECT_THAT(attend, ElementsAre("layers.1.attention.wq.weight", "layers.3.attention.wq.weight"));
  EXPECT_THAT(names, ElementsAre("a_log", "dt_bias", "wq.weight", "wk.weight", "wv.weight", "wo.weight",
                                 "wg.weight", "wb.weight", "wa.weight", "q_conv.weight", "k_conv.weight",
                                 "v_conv.weight", "norm.weight"));
}

TEST(GatedDeltaNetTest, InitialValuesAreThoseOfQwen3Next) {
  Decoder model(delta_dimensions(DeltaForm::chunked), torch::kFloat64);
  initialize(model, 3);
  const auto weights = weights_of(model);
  const auto weight = [&](const char* name) { return weights.at(std::string("layers.0.delta_net.") + name); };
  EXPECT_TRUE(weight("dt_bias").eq(1).all().item<bool>());
  EXPECT_TRUE(weight("norm.weight").eq(1).all().item<bool>());
  const torch::Tensor decay = weight("a_log").exp(), taps = weight("v_conv.weight");
  EXPECT_TRUE((decay > 0).logical_and(decay <= 16).all().item<bool>());
  EXPECT_GT(decay.max().item<double>(), 4);
  EXPECT_LE(taps.abs().max().item<double>(), 0.5);
  EXPECT_GT(taps.abs().max().item<double>(), 0.4);
  EXPECT_EQ(taps.sizes().vec(), (std::vector<int64_t>{16, 1, 4}));
}

torch::Tensor tokens_of_length(int64_t S) {
  return (torch::arange(S).view({1, S}) * 7 + 3).remainder(40);
}

TEST(GatedDeltaNetTest, Convolution_IsPyTorchsOfEachChannel) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({2, 9, 6}, torch::kFloat64),
                      taps = torch::randn({6, 1, 4}, torch::kFloat64);
  const torch::Tensor expected =
      at::silu(at::conv1d(at::constant_pad_nd(x.transpose(1, 2), {3, 0}), taps, /*bias=*/{},
                          at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, 6))
          .transpose(1, 2);
  EXPECT_TRUE(short_convolution(x, taps, {}, {}).allclose(expected, rounding, rounding));
  const torch::Tensor documents = torch::tensor({{0, 0, 0, 0, 1, 1, 1, 1, 1}, {4, 4, 5, 6, 6, 6, 6, 6, 6}});
  const torch::Tensor cut = short_convolution(x, taps, documents, {});
  EXPECT_TRUE(cut.narrow(0, 0, 1).narrow(1, 4, 5).equal(
      short_convolution(x.narrow(0, 0, 1).narrow(1, 4, 5), taps, {}, {})));
  EXPECT_FALSE(cut.allclose(expected));
}

class DeltaModelTest : public testing::TestWithParam<DeltaForm> {};
INSTANTIATE_TEST_SUITE_P(, DeltaModelTest, testing::Values(DeltaForm::recurrent, DeltaForm::chunked),
                         [](const auto& form) { return std::string(name_of(form.param)); });

TEST_P(DeltaModelTest, LaterTokensDoNotReachEarlierOnes) {
  Decoder model(delta_dimensions(GetParam()), torch::kFloat64);
  initialize(model, 1);
  torch::Tensor tokens = tokens_of_length(12);
  const torch::Tensor before = model.forward(tokens);
  tokens[0][7] = 1;
  const torch::Tensor after = model.forward(tokens);
  EXPECT_TRUE(before.narrow(1, 0, 7).allclose(after.narrow(1, 0, 7), 1e-12, 1e-13));
  EXPECT_FALSE(before.narrow(1, 7, 5).allclose(after.narrow(1, 7, 5)));
}

TEST_P(DeltaModelTest, PackedDocuments_HaveTheLogitsTheyHaveAlone) {
  AttentionChoice choice{AttentionBackend::varlen, {}};
  choice.rule.documents = DocumentRule{DocumentBoundary::position_zero, -1};
  Decoder model(delta_dimensions(GetParam()), torch::kFloat64, choice),
      alone(delta_dimensions(GetParam()), torch::kFloat64);
  initialize(model, 1);
  initialize(alone, 1);
  const torch::Tensor tokens = tokens_of_length(12);
  const torch::Tensor positions = torch::tensor({{0, 1, 0, 1, 2, 3, 4, 5, 6, 0, 0, 1}});
  const auto packed = [&](const torch::Tensor& rows) {
    return model.forward({rows, positions, model.get_attention_masks(rows, positions)});
  };
  const torch::Tensor together = packed(tokens);
  for (const auto& [begin, count] : {std::pair{0, 2}, {2, 7}, {9, 1}, {10, 2}})
    EXPECT_TRUE(together.narrow(1, begin, count)
                    .allclose(alone.forward(tokens.narrow(1, begin, count).contiguous()), 1e-11, 1e-13))
        << begin;
  torch::Tensor other = tokens.clone();
  other[0][3] = 39;
  EXPECT_TRUE(packed(other).narrow(1, 9, 3).equal(together.narrow(1, 9, 3)));
}

TEST_P(DeltaModelTest, DocumentsOfSomeRows_AreCutFromThoseOfAll) {
  AttentionChoice choice{AttentionBackend::varlen, {}};
  choice.rule.documents = DocumentRule{DocumentBoundary::position_zero, -1};
  const Decoder model(delta_dimensions(GetParam()), torch::kFloat64, choice);
  const torch::Tensor positions = torch::tensor({{0, 1, 2, 0}, {0, 1, 0, 1}});
  const MaskSet masks = model.get_attention_masks(torch::zeros({2, 4}, torch::kInt64), positions);
  const torch::Tensor second = rows_of(masks, 4, 1, 1).at("all").documents_BS;
  EXPECT_TRUE(second.equal(masks.at("all").documents_BS.narrow(0, 1, 1)));
  EXPECT_FALSE(second.equal(masks.at("all").documents_BS.narrow(0, 0, 1)));
}

}  // namespace
}  // namespace parity::reference
