// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Tokens per second of CPU time of a generator with its cache, compared with recomputing each sequence for
// each token and with the batch-invariant mode.
//
// Usage: generation_bench [NEW_TOKENS [ROUNDS]]
//
// Llama 3's debug model with its initial weights, 8 prompts of 32 tokens, all at once, greedy, float32, one
// thread. Each round runs everything once, one after the other, so that a machine that changes speed does so
// for all. It prints medians and their ratios. Exit status 1 if the cache is not faster.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include <ATen/Parallel.h>

#include "reference/model/decoder/decoder.hpp"
#include "reference/rl/generator/generator.hpp"

namespace parity::reference {
namespace {

struct Way {
  const char* name;
  bool cache, batch_invariant;
  std::vector<double> tokens_per_second = {};
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::vector<GenerationRequest> requests(int64_t new_tokens) {
  std::vector<GenerationRequest> all;
  for (int64_t i = 0; i < 8; ++i) {
    GenerationRequest request{{}, new_tokens, static_cast<uint64_t>(i)};
    for (int64_t t = 0; t < 32; ++t)
      request.prompt.push_back((37 * i + 11 * t * t) % 2048);
    all.push_back(request);
  }
  return all;
}

double tokens_per_second(const Way& way, const Decoder& model, int64_t new_tokens) {
  Generator generator(model.dimensions(),
                      {.cache = way.cache, .batch_invariant = way.batch_invariant, .temperature = 0});
  for (size_t i = 0; i < model.parameters().size(); ++i)
    torch::Tensor(generator.parameters()[i].value).copy_(model.parameters()[i].value.detach());
  generator.set_version(0);
  const std::clock_t start = std::clock();
  generator.generate(requests(new_tokens));
  return 8 * static_cast<double>(new_tokens) * CLOCKS_PER_SEC / static_cast<double>(std::clock() - start);
}

int run(int64_t new_tokens, int rounds) {
  at::set_num_threads(1);
  Decoder model(ModelDimensions{}, torch::kFloat32);
  initialize(model, 1);
  std::vector<Way> ways = {{"cache", true, false},
                           {"recomputing", false, false},
                           {"cache, batch-invariant", true, true},
                           {"recomputing, batch-invariant", false, true}};
  for (int round = 0; round < rounds; ++round)
    for (Way& way : ways)
      way.tokens_per_second.push_back(tokens_per_second(way, model, new_tokens));
  for (const Way& way : ways)
    std::cout << fmt::format("{:<30}{:>9.1f} tokens/s\n", way.name, median(way.tokens_per_second));
  const auto ratio = [&](size_t a, size_t b) {
    return median(ways[a].tokens_per_second) / median(ways[b].tokens_per_second);
  };
  std::cout << fmt::format("cache / recomputing                  {:.2f}\n", ratio(0, 1))
            << fmt::format("cache / recomputing, batch-invariant {:.2f}\n", ratio(2, 3))
            << fmt::format("batch-invariant / ordinary, cache    {:.2f}\n", ratio(2, 0));
  return ratio(0, 1) > 1 && ratio(2, 3) > 1 ? 0 : 1;
}

}  // namespace
}  // namespace parity::reference

int main(int argc, char** argv) {
  const int64_t new_tokens = argc > 1 ? std::atoll(argv[1]) : 64;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  if (new_tokens < 1 || rounds < 1) {
    std::cerr << "usage: generation_bench [NEW_TOKENS [ROUNDS]]\n";
    return 2;
  }
  return parity::reference::run(new_tokens, rounds);
}
