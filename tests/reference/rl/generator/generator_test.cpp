// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/generator.hpp"

#include <gtest/gtest.h>

#include "reference/loss/token_cross_entropy.hpp"
#include "reference/model/batch_invariance.hpp"
#include "tests/reference/rl/generator/written_generator.hpp"

namespace parity::reference {
namespace {

using Completions = std::vector<Completion>;

Completions complete(const ModelDimensions& dimensions, const GeneratorOptions& options) {
  return written_generator(dimensions, options)->generate(seven_requests());
}

/// \param bound  of the difference of log probabilities; 0 = the same bits
void expect_same(const Completions& actual, const Completions& expected, double bound,
                 const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].tokens, expected[i].tokens) << what << ", request " << i;
    ASSERT_EQ(actual[i].logprobs.size(), expected[i].logprobs.size());
    for (size_t t = 0; t < actual[i].logprobs.size(); ++t)
      EXPECT_LE(std::abs(actual[i].logprobs[t] - expected[i].logprobs[t]), bound)
          << what << ", request " << i << " token " << t;
  }
}

ModelDimensions with(const ArchitectureConfig& changes) {
  RunConfig config = tiny_config();
  config.architecture.fused_qkv = changes.fused_qkv;
  config.architecture.qk_norm = changes.qk_norm;
  config.architecture.nope_every = changes.nope_every;
  config.architecture.tied_embeddings = changes.tied_embeddings;
  config.architecture.rope = changes.rope;
  return dimensions_of(config);
}

ModelDimensions latent() {
  RunConfig config = tiny_config();
  config.architecture.n_kv_heads = 0;
  config.architecture.kv_lora_rank = 6;
  config.architecture.qk_nope_head_dim = 4;
  config.architecture.qk_rope_head_dim = 2;
  config.architecture.v_head_dim = 3;
  return dimensions_of(config);
}

ModelDimensions experts() {
  RunConfig config = tiny_config();
  config.moe.experts = 4;
  config.moe.top_k = 2;
  config.moe.hidden = 8;
  return dimensions_of(config);
}

TEST(GeneratorTest, WithTheCacheItWritesWhatRecomputingWrites) {
  const std::vector<std::pair<std::string, ModelDimensions>> models = {
      {"plain", tiny_dimensions()},
      {"fused, norms of heads, tied",
       with({.qk_norm = Switch::on, .tied_embeddings = Switch::on, .fused_qkv = true})},
      {"blocks without RoPE", with({.rope = RopeChoice::rotate_half, .nope_every = 2})},
      {"latent", latent()},
      {"experts", experts()}};
  for (const auto& [name, dimensions] : models)
    for (const int64_t window : {0, 3}) {
      GeneratorOptions options{.dtype = torch::kFloat64, .sliding_window = window};
      const Completions cached = complete(dimensions, options);
      options.cache = false;
      expect_same(cached, complete(dimensions, options), 1e-12, name + " window " + std::to_string(window));
    }
}

TEST(GeneratorTest, InFloat32TheyDifferByRounding) {
  GeneratorOptions options;
  const Completions cached = complete(tiny_dimensions(), options);
  options.cache = false;
  expect_same(cached, complete(tiny_dimensions(), options), 1e-5, "float32");  // logits of about 10, 100 ULPs
}

TEST(GeneratorTest, NeitherSlotsNorPassesChangeWhatIsWritten) {
  const Completions expected = complete(tiny_dimensions(), {.dtype = torch::kFloat64});
  for (const int64_t sequences : {1, 2, 5})
    for (const int64_t tokens : {1, 3, 10})
      expect_same(complete(tiny_dimensions(),
                           {.dtype = torch::kFloat64, .max_sequences = sequences, .max_tokens = tokens}),
                  expected, 1e-12,
                  std::to_string(sequences) + " slots, " + std::to_string(tokens) + " tokens");
}

/// A width that no vector length divides.
ModelDimensions odd() {
  RunConfig config = tiny_config();
  config.architecture.ffn_hidden = 27;
  return dimensions_of(config);
}

class InvariantGeneratorTest : public testing::TestWithParam<torch::ScalarType> {};
INSTANTIATE_TEST_SUITE_P(, InvariantGeneratorTest,
                         testing::Values(torch::kFloat32, torch::kFloat64, torch::kBFloat16),
                         [](const auto& instance) { return c10::toString(instance.param); });

TEST_P(InvariantGeneratorTest, Bits_AreIndependentOfSlotsPassesAndCache) {
  const GeneratorOptions all{.dtype = GetParam(), .batch_invariant = true};
  for (const ModelDimensions& dimensions : {odd(), latent()}) {
    const Completions expected = complete(dimensions, all);
    for (const int64_t sequences : {1, 3})
      for (const int64_t tokens : {1, 5, 64})
        for (const bool cache : {false, true}) {
          GeneratorOptions options = all;
          options.max_sequences = sequences;
          options.max_tokens = tokens;
          options.cache = cache;
          expect_same(complete(dimensions, options), expected, 0,
                      std::to_string(sequences) + " slots, " + std::to_string(tokens) + " tokens, cache " +
                          std::to_string(cache));
        }
  }
}

TEST_P(InvariantGeneratorTest, WholeSequenceLogprobs_EqualSampledOnes) {
  const auto generator =
      written_generator(odd(), {.dtype = GetParam(), .max_tokens = 20, .batch_invariant = true});
  const std::vector<GenerationRequest> requests = seven_requests();
  const Completions written = generator->generate(requests);
  std::vector<Sequence> sequences;
  for (size_t i = 0; i < requests.size(); ++i)
    sequences.push_back({requests[i].prompt, written[i].tokens});
  const auto again = generator->logprobs(sequences);
  for (size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(again[i], written[i].logprobs) << i;
}

TEST_P(InvariantGeneratorTest, Logprobs_EqualThoseOfATrainedWholeBatch) {
  const std::vector<GenerationRequest> requests = seven_requests();
  const Completions written =
      complete(odd(), {.dtype = GetParam(), .max_sequences = 3, .max_tokens = 9, .batch_invariant = true});
  Decoder model = outspoken_model(odd(), GetParam(), {AttentionBackend::tiled, {}});
  make_batch_invariant(model.hooks());
  constexpr int64_t S = 24;
  const torch::Tensor tokens = torch::zeros({7, S}, torch::kInt64);
  const torch::Tensor labels = torch::full({7, S}, -100, torch::kInt64);
  for (int64_t b = 0; b < 7; ++b) {
    std::vector<int64_t> row = requests[static_cast<size_t>(b)].prompt;
    const auto prompt = static_cast<int64_t>(row.size());
    row.insert(row.end(), written[static_cast<size_t>(b)].tokens.begin(),
               written[static_cast<size_t>(b)].tokens.end());
    for (int64_t i = 0; i < static_cast<int64_t>(row.size()); ++i) {
      tokens[b][i] = row[static_cast<size_t>(i)];
      if (i >= prompt)
        labels[b][i - 1] = row[static_cast<size_t>(i)];
    }
  }
  const torch::Tensor positions = torch::arange(S).expand({7, S}).contiguous();
  const torch::Tensor logits =
      model.forward({tokens, positions, model.get_attention_masks(tokens, positions)});
  const torch::Tensor logprobs = token_cross_entropy(logits, labels).neg().to(torch::kFloat64);
  for (int64_t b = 0; b < 7; ++b)
    for (size_t t = 0; t < written[static_cast<size_t>(b)].logprobs.size(); ++t) {
      const auto place = static_cast<int64_t>(requests[static_cast<size_t>(b)].prompt.size() + t) - 1;
      EXPECT_EQ(logprobs[b][place].item<double>(), written[static_cast<size_t>(b)].logprobs[t])
          << b << " " << t;
    }
}

TEST(GeneratorTest, EndsAtTheEosWithIt) {
  GeneratorOptions options{.dtype = torch::kFloat64, .temperature = 0};
  const Completions without = complete(tiny_dimensions(), options);
  options.eos_id = without[2].tokens[5];
  const Completions with_eos = complete(tiny_dimensions(), options);
  bool one_ended = false, one_did_not = false;
  for (size_t i = 0; i < without.size(); ++i) {
    std::vector<int64_t> expected;
    for (const int64_t token : without[i].tokens) {
      expected.push_back(token);
      if (token == options.eos_id)
        break;
    }
    EXPECT_EQ(with_eos[i].tokens, expected) << i;
    EXPECT_EQ(with_eos[i].ended, expected.back() == options.eos_id);
    EXPECT_FALSE(without[i].ended);
    (with_eos[i].ended ? one_ended : one_did_not) = true;
  }
  EXPECT_TRUE(one_ended && one_did_not) << "shows nothing";
}

TEST(GeneratorTest, SamplesFollowSeedAndStreamAndGreedyOnesDoNot) {
  std::vector<GenerationRequest> requests = seven_requests();
  const auto tokens = [&](double temperature, uint64_t seed) {
    std::vector<int64_t> all;
    for (const Completion& one :
         written_generator(tiny_dimensions(), {.temperature = temperature, .seed = seed})->generate(requests))
      all.insert(all.end(), one.tokens.begin(), one.tokens.end());
    return all;
  };
  const std::vector<int64_t> sampled = tokens(1, 0), greedy = tokens(0, 0);
  EXPECT_EQ(tokens(1, 0), sampled);
  EXPECT_NE(tokens(1, 1), sampled);
  EXPECT_EQ(tokens(0, 1), greedy);
  for (GenerationRequest& request : requests)
    ++request.stream;
  EXPECT_NE(tokens(1, 0), sampled);
  EXPECT_EQ(tokens(0, 0), greedy);
}

TEST(GeneratorTest, TheCacheSeesEachTokenOnce) {
  const auto cached = written_generator(tiny_dimensions(), {});
  const auto recomputing = written_generator(tiny_dimensions(), {.cache = false});
  int64_t once = 0, again = 0;
  for (const GenerationRequest& request : seven_requests()) {
    const auto prompt = static_cast<int64_t>(request.prompt.size());
    once += prompt + request.max_new_tokens - 1;
    for (int64_t t = 0; t < request.max_new_tokens; ++t)
      again += prompt + t;
  }
  cached->generate(seven_requests());
  recomputing->generate(seven_requests());
  EXPECT_EQ(cached->work().tokens, once);
  EXPECT_EQ(recomputing->work().tokens, again);
  EXPECT_EQ(cached->work().passes, 12) << "all run at once: the longest completion";
}

TEST(GeneratorTest, NewWeightsAreUsedAndNamed) {
  const auto generator = written_generator(tiny_dimensions(), {});
  const Completions before = generator->generate(seven_requests());
  for (const Parameter& parameter : generator->parameters())
    torch::Tensor(parameter.value).mul_(parameter.value.dim() > 1 ? 0.5 : 1);
  generator->set_version(8);
  const Completions after = generator->generate(seven_requests());
  EXPECT_EQ(before[0].version, 7);
  EXPECT_EQ(after[0].version, 8);
  EXPECT_NE(after[3].logprobs, before[3].logprobs);
}

}  // namespace
}  // namespace parity::reference
