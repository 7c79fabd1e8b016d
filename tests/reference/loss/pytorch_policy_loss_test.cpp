// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"
#include "reference/loss/policy_loss.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/scratch.hpp"

// The same losses by an ordinary PyTorch program: bit for bit, with their gradients.

namespace parity::reference {
namespace {

constexpr int64_t rows = 6, seq_len = 9;
constexpr PolicyDivisor divisor = {.tokens = 31, .completions = rows, .ranks = 1, .pairs = 2};

class PolicyLossAgainstPyTorchTest : public FolderTest {
 protected:
  /// Log probabilities that differ from the generator's by up to 40, so that every clamp is reached.
  static PolicyTokens tokens_of(torch::ScalarType dtype) {
    torch::manual_seed(5);
    const auto options = torch::TensorOptions(dtype);
    PolicyTokens tokens;
    tokens.generator = -3 * torch::rand({rows, seq_len}, options);
    const torch::Tensor gap = torch::randn({rows, seq_len}, options).pow(3);
    tokens.logprobs = (tokens.generator + gap).clamp_max(0).requires_grad_();
    tokens.entropy = torch::zeros({rows, seq_len}, options);
    tokens.advantages = torch::randn({rows, 1}, options).expand({rows, seq_len}).contiguous();
    tokens.counts = torch::rand({rows, seq_len}).lt(0.6);
    tokens.lengths = tokens.counts.sum(-1, true).expand({rows, seq_len});
    return tokens;
  }

  static Json json_of(const torch::Tensor& x) {
    Json list = Json::array();
    for (const torch::Tensor& row : x.detach().to(torch::kFloat64).unbind()) {
      Json numbers = Json::array();
      for (int64_t i = 0; i < row.numel(); ++i)
        numbers.push_back(row[i].item<double>());
      list.push_back(std::move(numbers));
    }
    return list;
  }

  /// Makes the rows pairs of a preferred and another completion; the last pair is tied.
  static void prefer(PolicyTokens& tokens) {
    const torch::Tensor signs = torch::tensor({1, -1, -1, 1, 0, 0}, tokens.advantages.options());
    tokens.advantages = signs.view({rows, 1}).expand({rows, seq_len}).contiguous();
  }

  struct Question {
    PolicyTokens tokens;
    RlConfig config;
  };

  static Question question(PolicyLossName loss, bool with_reference, torch::ScalarType dtype) {
    Question question{tokens_of(dtype), {}};
    question.config.loss = loss;
    if (loss == PolicyLossName::dpo)
      prefer(question.tokens);
    if (with_reference) {
      question.config.kl_coef = loss == PolicyLossName::dpo ? 0 : 0.3;
      const torch::Tensor noise = torch::randn({rows, seq_len}, torch::TensorOptions(dtype));
      question.tokens.reference = question.tokens.logprobs.detach() + 0.5 * noise;
    }
    return question;
  }

  /// The published bounds: DAPO 0.28, GSPO 3e-4 and 4e-4; a cispo ratio has none below.
  static std::pair<double, double> bounds_of(PolicyLossName loss) {
    return loss == PolicyLossName::dapo    ? std::pair(0.2, 0.28)
           : loss == PolicyLossName::gspo  ? std::pair(3e-4, 4e-4)
           : loss == PolicyLossName::cispo ? std::pair(1.0, 0.2)
                                           : std::pair(0.2, 0.2);
  }

  static Json json_of(const Question& question) {
    const auto& [tokens, config] = question;
    const bool is_wide = tokens.logprobs.scalar_type() == torch::kFloat64;
    const auto [low, high] = bounds_of(config.loss);
    Json given = {{"loss", std::string(name_of(config.loss))},
                  {"low", low},
                  {"high", high},
                  {"completions", divisor.completions},
                  {"pairs", divisor.pairs},
                  {"normalization", std::string(name_of(config.normalization))},
                  {"max_new_tokens", config.max_new_tokens},
                  {"dpo_beta", config.dpo_beta},
                  {"correction", std::string(name_of(config.correction))},
                  {"correction_level", std::string(name_of(config.correction_level))},
                  {"correction_cap", config.correction_cap},
                  {"correction_floor", config.correction_floor},
                  {"dual", config.dual_clip},
                  {"kl_coef", config.kl_coef},
                  {"divisor", divisor.tokens},
                  {"dtype", is_wide ? "float64" : "float32"}};
    for (const auto& [name, values] : {std::pair("logprobs", tokens.logprobs),
                                       {"generator", tokens.generator},
                                       {"advantages", tokens.advantages},
                                       {"counts", tokens.counts}})
      given[name] = json_of(values);
    if (tokens.reference.defined())
      given["reference"] = json_of(tokens.reference);
    return given;
  }

  Json answers_of_pytorch(const std::vector<Question>& questions) const {
    Json given = Json::array();
    for (const Question& question : questions)
      given.push_back(json_of(question));
    const std::filesystem::path in = folder / "in.json", out = folder / "out.json";
    write_file(in, given.dump());
    const CommandResult result =
        run_shell(fmt::format("{} {}/tests/support/pytorch/pytorch_policy_loss.py {} {}", places::python,
                              places::source, in.string(), out.string()));
    EXPECT_EQ(result.status, 0) << result.output;
    return Json::parse(read_file(out));
  }
};

/// The same losses with other divisors, and weighed by importance corrections of each form and level.
std::vector<RlConfig> further_configs() {
  std::vector<RlConfig> configs;
  for (const PolicyLossName loss : {PolicyLossName::grpo, PolicyLossName::ppo, PolicyLossName::cispo})
    for (const PolicyNormalization n : {PolicyNormalization::sequence_mean, PolicyNormalization::constant}) {
      RlConfig& config = configs.emplace_back();
      config.loss = loss;
      config.normalization = n;
      config.kl_coef = 0.3;
    }
  for (const PolicyLossName loss : {PolicyLossName::dapo, PolicyLossName::importance_sampling})
    for (const ImportanceCorrection form : {ImportanceCorrection::truncate, ImportanceCorrection::mask})
      for (const CorrectionLevel level : {CorrectionLevel::token, CorrectionLevel::sequence}) {
        RlConfig& config = configs.emplace_back();
        config.loss = loss;
        config.correction = form;
        config.correction_level = level;
        config.correction_cap = 1.5;
        config.correction_floor = 0.25;
      }
  return configs;
}

TEST_F(PolicyLossAgainstPyTorchTest, EveryLossAndItsGradientMatchesReference) {
  if (!places::has_pytorch)
    GTEST_SKIP() << needs_pytorch;
  std::vector<Question> questions;
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64})
    for (const RlConfig& config : further_configs()) {
      questions.push_back(question(config.loss, config.kl_coef > 0, dtype));
      questions.back().config = config;
    }
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64})
    for (const std::string_view name : EnumNames<PolicyLossName>::names)
      for (const bool with_reference : {false, true})
        if ((!with_reference || name != "sft") && (with_reference || name != "dpo"))
          questions.push_back(question(parse_enum<PolicyLossName>(std::string(name)), with_reference, dtype));
  const Json expected = answers_of_pytorch(questions);
  ASSERT_EQ(expected.size(), questions.size());
  for (size_t i = 0; i < questions.size(); ++i) {
    const auto& [tokens, config] = questions[i];
    SCOPED_TRACE(fmt::format("{} {} {} {}{}", name_of(config.loss), name_of(config.normalization),
                             name_of(config.correction), name_of(config.correction_level),
                             config.kl_coef > 0 ? " with a reference" : ""));
    const torch::Tensor loss = policy_loss(tokens, config, divisor).loss;
    loss.backward();
    EXPECT_EQ(loss.item<double>(), expected[i]["loss"].get<double>());
    EXPECT_EQ(json_of(tokens.logprobs.grad()), expected[i]["gradient"]);
  }
}

}  // namespace
}  // namespace parity::reference
