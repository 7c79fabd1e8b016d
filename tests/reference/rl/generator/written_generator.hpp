// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/rl/generator/generator.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {

/// A model whose logits distinguish tokens: its initial weights, with matrices four times as large.
inline Decoder outspoken_model(const ModelDimensions& dimensions, torch::ScalarType dtype,
                               const AttentionChoice& attention = {}) {
  Decoder model(dimensions, dtype == torch::kFloat64 ? dtype : torch::kFloat32, attention);
  initialize(model, 5);
  const torch::NoGradGuard no_grad;
  for (const Parameter& parameter : model.parameters())
    if (parameter.value.dim() > 1)
      torch::Tensor(parameter.value).mul_(4);
  model.visit_weights([&](const std::string&, torch::Tensor& weight) { weight = weight.detach().to(dtype); });
  return model;
}

/// A generator with the weights of that model, as version 7.
inline std::unique_ptr<Generator> written_generator(const ModelDimensions& dimensions,
                                                    const GeneratorOptions& options) {
  auto generator = std::make_unique<Generator>(dimensions, options);
  Decoder model = outspoken_model(dimensions, options.dtype);
  std::vector<torch::Tensor> whole;
  model.visit_weights([&](const std::string&, torch::Tensor& weight) { whole.push_back(weight); });
  for (size_t i = 0; i < whole.size(); ++i) {
    const Parameter& own = generator->parameters().at(i);
    torch::Tensor(own.value).copy_(part_of_logical(whole[i], own.layout));
  }
  for (const Parameter& bias : generator->router_biases())
    torch::Tensor(bias.value).zero_();
  generator->set_version(7);
  return generator;
}

/// Prompts of 1, 5, 2, 17, 3, 9 and 4 tokens, to be completed by 7, 4, 12, 3, 9, 1 and 6.
inline std::vector<GenerationRequest> seven_requests() {
  std::vector<GenerationRequest> requests;
  const std::vector<std::pair<int64_t, int64_t>> sizes = {{1, 7}, {5, 4}, {2, 12}, {17, 3},
                                                          {3, 9}, {9, 1}, {4, 6}};
  for (const auto& [length, new_tokens] : sizes) {
    GenerationRequest request{{}, new_tokens, 100 + requests.size()};
    for (int64_t i = 0; i < length; ++i)
      request.prompt.push_back((7 * i * i + 11 * length) % 40);
    requests.push_back(request);
  }
  return requests;
}

}  // namespace parity::reference
