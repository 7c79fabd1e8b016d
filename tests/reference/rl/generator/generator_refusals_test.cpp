// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "tests/reference/rl/generator/written_generator.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class GeneratorRefusalsTest : public testing::Test {
 protected:
  std::string says(const GenerationRequest& request) const {
    return complaint([&] { generator_->generate(std::vector<GenerationRequest>{{{1}, 1, 0}, request}); });
  }
  std::unique_ptr<Generator> generator_ = written_generator(tiny_dimensions(), {});
};

TEST_F(GeneratorRefusalsTest, NamesTheSequenceAndWhatIsWrongWithIt) {
  EXPECT_THAT(says({{}, 3, 0}), HasSubstr("the prompt of sequence 1 is empty ("));
  EXPECT_THAT(says({{1, 40}, 3, 0}),
              HasSubstr("token 40 at place 1 of sequence 1 (the vocabulary has 40); "));
  EXPECT_THAT(says({{-1}, 3, 0}), HasSubstr("token -1 at place 0 of sequence 1 ("));
  EXPECT_THAT(says({{1, 2}, 31, 0}),
              HasSubstr("sequence 1 could have 33 tokens (the model has positions for 32); "));
  EXPECT_THAT(says({{1, 2}, 0, 0}), HasSubstr("cannot generate 0 new tokens for sequence 1 ("));
  EXPECT_EQ(says({{1, 2}, 30, 0}), "");
}

TEST_F(GeneratorRefusalsTest, AlsoOfSequencesWhoseLogprobsAreAsked) {
  const auto about = [&](const Sequence& sequence) {
    return complaint([&] { generator_->logprobs(std::vector<Sequence>{{{1}, {2}}, sequence}); });
  };
  EXPECT_THAT(about({{}, {1}}), HasSubstr("the prompt of sequence 1 is empty ("));
  EXPECT_THAT(about({{1}, {2, 41}}), HasSubstr("token 41 at place 1 of sequence 1 ("));
  EXPECT_EQ(about({{1}, {2, 3}}), "");
}

TEST_F(GeneratorRefusalsTest, WithoutWeightsNothingIsWritten) {
  Generator empty(tiny_dimensions(), {});
  EXPECT_THAT(complaint([&] { empty.generate(seven_requests()); }),
              HasSubstr("a generator without weights (none were pushed to it yet); "));
  EXPECT_THAT(complaint([&] { empty.logprobs({}); }), HasSubstr("a generator without weights ("));
  EXPECT_TRUE(generator_->generate({}).empty());
}

TEST_F(GeneratorRefusalsTest, NonFiniteLogits_AreNamedWithTheirPosition) {
  // Token 39 is in the second prompt only, at its end.
  torch::Tensor(generator_->parameters().front().value)[39].fill_(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(says({{1, 2}, 1, 0}), "");
  EXPECT_THAT(says({{1, 2, 39}, 3, 0}),
              HasSubstr("logits of sequence 1 at position 2 are not finite (version 7 of the weights"));
}

TEST_F(GeneratorRefusalsTest, OptionsOutOfRangeAreNamed) {
  const auto about = [](const GeneratorOptions& options) {
    return complaint([&] { Generator(tiny_dimensions(), options); });
  };
  EXPECT_THAT(about({.max_sequences = 0}), HasSubstr("max_sequences = 0"));
  EXPECT_THAT(about({.max_tokens = 0}), HasSubstr("max_tokens = 0"));
  EXPECT_THAT(about({.temperature = -1}), HasSubstr("temperature = -1"));
  EXPECT_THAT(about({.temperature = NAN}), HasSubstr("temperature = "));
  RunConfig config = tiny_config();
  config.moe.experts = 4;
  config.moe.hidden = 8;
  EXPECT_THAT(complaint([&] { Generator(dimensions_of(config), {.batch_invariant = true}); }),
              HasSubstr("a batch-invariant generator of a model with experts ("));
}

}  // namespace
}  // namespace parity::reference
