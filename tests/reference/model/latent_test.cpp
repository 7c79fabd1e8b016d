// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Multi-head latent attention: its weights, how they are drawn, and its formula written out head by head.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/model/decoder/decoder.hpp"
#include "reference/model/decoder/rope.hpp"
#include "tests/reference/model/model_facts.hpp"
#include "tests/reference/tiny_latent.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/pytorch/pytorch_draws.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

std::vector<std::string> attention_names(const ModelDimensions& dimensions) {
  const std::string prefix = "layers.0.attention.";
  std::vector<std::string> names;
  const Decoder model(dimensions, torch::kFloat32);
  for (const Parameter& parameter : model.parameters())
    if (parameter.name.starts_with(prefix))
      names.push_back(parameter.name.substr(prefix.size()));
  return names;
}

TEST(LatentTest, ModelsHaveTheirPublishedSizes) {
  EXPECT_EQ(parameter_count("deepseek_v3.debug"), 33'014'016);    // NUMERICS.md 4.2
  EXPECT_EQ(parameter_count("deepseek_v3.16b"), 15'706'484'224);  // Hugging Face's DeepSeek-V2-Lite
  // DeepSeek-V3's 671,026,419,200 without the 256 biases of each of 58 routers, which are not parameters
  // here.
  EXPECT_EQ(parameter_count("deepseek_v3.671b"), 671'026'419'200 - int64_t{58} * 256);
}

TEST(LatentTest, WeightsAreTorchtitansInItsOrder) {
  EXPECT_THAT(attention_names(tiny_latent(0)),
              ElementsAre("wq.weight", "wkv_a.weight", "kv_norm.weight", "wkv_b.weight", "wo.weight"));
  EXPECT_THAT(attention_names(tiny_latent(10)),
              ElementsAre("wq_a.weight", "q_norm.weight", "wq_b.weight", "wkv_a.weight", "kv_norm.weight",
                          "wkv_b.weight", "wo.weight"));
  const Decoder model(tiny_latent(10), torch::kFloat32);
  std::map<std::string, torch::Tensor> weights = weights_of(model);
  const auto shape = [&](const char* name) {
    return weights.at(fmt::format("layers.1.attention.{}.weight", name)).sizes().vec();
  };
  EXPECT_THAT(shape("wq_a"), ElementsAre(10, 16));
  EXPECT_THAT(shape("q_norm"), ElementsAre(10));
  EXPECT_THAT(shape("wq_b"), ElementsAre(4 * (6 + 4), 10));
  EXPECT_THAT(shape("wkv_a"), ElementsAre(12 + 4, 16));
  EXPECT_THAT(shape("kv_norm"), ElementsAre(12));
  EXPECT_THAT(shape("wkv_b"), ElementsAre(4 * (6 + 5), 12));
  EXPECT_THAT(shape("wo"), ElementsAre(16, 4 * 5));
}

/// Returns softmax(q k^T scale) v, one head after the other, from the inputs of attention.
torch::Tensor by_formula(const std::map<std::string, torch::Tensor>& weights, const torch::Tensor& x_SD,
                         const ModelDimensions& d) {
  const int64_t n = d.latent.nope_width, r = d.latent.rope_width, e = d.latent.value_width, S = x_SD.size(0);
  const auto times = [&](const torch::Tensor& x, const char* name) {
    return torch::matmul(x, weights.at(fmt::format("layers.0.attention.{}.weight", name)).t());
  };
  const auto normed = [&](const torch::Tensor& x) {
    return x / (x.square().mean(-1, true) + d.norm_eps).sqrt();
  };
  const torch::Tensor table = rope_table(d, torch::kFloat64);
  const auto turned = [&](const torch::Tensor& x_Sr) {
    return apply_rope(x_Sr.contiguous().view({1, S, 1, r}), rope_turns(table, S, {})).view({S, r});
  };
  const torch::Tensor q =
      d.latent.q_rank > 0 ? times(normed(times(x_SD, "wq_a")), "wq_b") : times(x_SD, "wq");
  const torch::Tensor latent = times(x_SD, "wkv_a");
  const torch::Tensor kv = times(normed(latent.narrow(1, 0, d.latent.kv_rank)), "wkv_b");
  const torch::Tensor shared = turned(latent.narrow(1, d.latent.kv_rank, r));
  const torch::Tensor later = torch::ones({S, S}, torch::kBool).triu(1);
  std::vector<torch::Tensor> heads;
  for (int64_t h = 0; h < d.n_heads; ++h) {
    const torch::Tensor q_h = q.narrow(1, h * (n + r), n + r), kv_h = kv.narrow(1, h * (n + e), n + e);
    const torch::Tensor scores = torch::matmul(q_h.narrow(1, 0, n), kv_h.narrow(1, 0, n).t()) +
                                 torch::matmul(turned(q_h.narrow(1, n, r)), shared.t());
    const torch::Tensor share =
        (scores * latent_scale(d)).masked_fill(later, -std::numeric_limits<double>::infinity()).softmax(-1);
    heads.push_back(torch::matmul(share, kv_h.narrow(1, n, e)));
  }
  return times(torch::cat(heads, 1), "wo");
}

TEST(LatentTest, FollowsTheFormulaHeadByHead) {
  for (const int64_t q_rank : {0, 10}) {
    const ModelDimensions d = tiny_latent(q_rank);
    Decoder model(d, torch::kFloat64);
    initialize(model, 1);
    model.visit_weights([](const std::string& name, torch::Tensor& weight) {
      if (name.find(".attention.w") != std::string::npos)  // small ones would make attention nearly uniform
        weight.detach().mul_(20);
    });
    torch::Tensor into, out;
    const torch::NoGradGuard no_grad;
    const ModuleHooks::Transform keep = [&](const torch::Tensor& x) { return into = x; };
    model.hooks().before("layers.0.attention", keep);
    model.forward(torch::arange(12).view({1, 12}), [&](const std::string& name, const torch::Tensor& value) {
      if (name == "layers.0.attention")
        out = value;
    });
    EXPECT_TRUE(torch::allclose(out[0], by_formula(weights_of(model), into[0], d), 1e-12, 1e-13)) << q_rank;
    ModelDimensions other = d;
    other.latent.mscale = 0.8;
    EXPECT_FALSE(torch::allclose(out[0], by_formula(weights_of(model), into[0], other), 1e-6, 1e-6));
  }
}

class LatentInitTest : public FolderTest {};

TEST_F(LatentInitTest, HasTheBitsOfPyTorchForTheSameSeed) {
  if (!places::has_pytorch)
    GTEST_SKIP() << needs_pytorch;
  for (const int64_t q_rank : {0, 10}) {
    std::vector<Draw> draws = {{"tok_embeddings.weight", 40, 16, 1, "normal"}};
    for (int i = 0; i < 2; ++i) {
      const std::string layer = fmt::format("layers.{}.", i), attention = layer + "attention.",
                        feed_forward = layer + "feed_forward.";
      const double narrow = 0.02 / std::sqrt(2.0 * (i + 1));
      if (q_rank == 0)
        draws.push_back({attention + "wq.weight", 40, 16});
      else
        draws.insert(draws.end(), {{attention + "wq_a.weight", 10, 16}, {attention + "wq_b.weight", 40, 10}});
      draws.insert(draws.end(), {{attention + "wkv_a.weight", 16, 16},
                                 {attention + "wkv_b.weight", 44, 12},
                                 {attention + "wo.weight", 16, 20, narrow},
                                 {feed_forward + "w1.weight", 24, 16},
                                 {feed_forward + "w2.weight", 16, 24, narrow},
                                 {feed_forward + "w3.weight", 24, 16, narrow}});
    }
    draws.push_back({"output.weight", 40, 16, 0.25, "cut"});
    Decoder model(tiny_latent(q_rank), torch::kFloat32);
    initialize(model, 7);
    const auto expected = drawn_by_pytorch(draws, 7, folder / "draws.bin");
    for (const auto& [name, weight] : weights_of(model))
      EXPECT_TRUE(weight.equal(name.ends_with("norm.weight") ? torch::ones_like(weight) : expected.at(name)))
          << name;
  }
}

}  // namespace
}  // namespace parity::reference
