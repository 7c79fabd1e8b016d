// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <torch/types.h>

#include "reference/model/decoder/decoder.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {

/// A matrix that a model is expected to draw next.
struct Draw {
  std::string weight;
  int64_t rows, columns;
  double std = 0.02;
  const char* kind = "trunc";  ///< or "normal", or "cut" at 3 std
};

/// Returns what PyTorch's own nn.init draws in this order from this seed, by name: float32.
inline std::map<std::string, torch::Tensor> drawn_by_pytorch(const std::vector<Draw>& draws, int seed,
                                                             const std::filesystem::path& out) {
  std::string command = fmt::format("{} {}/tests/support/pytorch/pytorch_draws.py {} {}", places::python,
                                    places::source, out.string(), seed);
  for (const Draw& draw : draws)
    command += fmt::format(" {}:{}x{}:{:.17g}", draw.kind, draw.rows, draw.columns, draw.std);
  const CommandResult result = run_shell(command);
  EXPECT_EQ(result.status, 0) << result.output;
  const std::string bytes = read_file(out);
  std::map<std::string, torch::Tensor> weights;
  size_t at = 0;
  for (const Draw& draw : draws) {
    const torch::Tensor weight = torch::empty({draw.rows, draw.columns}, torch::kFloat32);
    EXPECT_LE(at + weight.nbytes(), bytes.size());
    std::memcpy(weight.mutable_data_ptr(), bytes.data() + at, weight.nbytes());
    at += weight.nbytes();
    weights[draw.weight] = weight;
  }
  EXPECT_EQ(at, bytes.size());
  return weights;
}

/// A model's weights by name.
inline std::map<std::string, torch::Tensor> weights_of(const Decoder& model) {
  std::map<std::string, torch::Tensor> weights;
  for (const Parameter& parameter : model.parameters())
    weights[parameter.name] = parameter.value.detach();
  return weights;
}

}  // namespace parity::reference
