// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Time of flex attention, forward and backward, compared with PyTorch's scaled_dot_product_attention with the
// same mask as an argument (the dense backend), with its causal flag, and with softmax(q k^T) v written out.
//
// Usage: attention_bench [SEQ_LEN [ROUNDS]]
//
// One row, 8 heads on 4 key heads of 64, float32, one thread. Each round runs everything once, one after the
// other, so that a machine that changes speed does so for all. It prints medians. `blocks` is the share of
// the blocks up to the diagonal that contain a pair: flex should take that share of its causal time, plus the
// time to build its mask. Exit status 1 if flex under a mask takes more than 1.5 times that share, or is
// slower than SDPA with the mask although half of the blocks or fewer contain a pair.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include "reference/attention/attention.hpp"
#include "reference/attention/sdpa.hpp"

namespace parity::reference {
namespace {

using Attend =
    std::function<torch::Tensor(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v)>;

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

torch::Tensor written_out(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                          const torch::Tensor& allowed) {
  const int64_t sharing = q.size(1) / k.size(1);
  const torch::Tensor scores =
      at::matmul(q, repeat_heads(k, sharing).transpose(2, 3)) / std::sqrt(static_cast<double>(q.size(3)));
  return at::matmul(at::softmax(scores.masked_fill(allowed.logical_not(), -INFINITY), -1),
                    repeat_heads(v, sharing));
}

struct Row {
  const char* name;
  MaskRule rule;
};

int run(int64_t S, int rounds) {
  at::set_num_threads(1);
  torch::manual_seed(1);
  const std::vector<int64_t> tokens(static_cast<size_t>(S), 1);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < S; ++i)
    positions.push_back(i % 512);
  const DocumentRule documents{DocumentBoundary::position_zero};
  const std::vector<Row> rows = {{"causal", {}},
                                 {"documents of 512", {.documents = documents}},
                                 {"window of 256", {.sliding_window = 256}},
                                 {"fixed blocks of 256", {.fixed_block = 256}},
                                 {"documents and window", {.documents = documents, .sliding_window = 256}}};
  torch::Tensor inputs[] = {torch::randn({1, 8, S, 64}), torch::randn({1, 4, S, 64}),
                            torch::randn({1, 4, S, 64})};
  for (torch::Tensor& input : inputs)
    input.requires_grad_(true);
  const torch::Tensor weights = torch::randn(inputs[0].sizes());
  const auto time = [&](const Attend& attend) {
    return seconds_of([&] {
      torch::autograd::grad({(attend(inputs[0], inputs[1], inputs[2]) * weights).sum()},
                            {inputs[0], inputs[1], inputs[2]});
    });
  };

  std::map<std::string, std::vector<double>> seconds;
  std::vector<double> shares(rows.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string name = rows[i].name;
      const Mask mask = make_mask(rows[i].rule, tokens, positions, S);
      AttentionMasks flex;
      seconds[name + " make"].push_back(seconds_of([&] { flex = masks_for(AttentionBackend::flex, mask); }));
      const AttentionMasks dense = masks_for(AttentionBackend::dense, mask);
      const int64_t blocks = (S + BlockMask::block_size - 1) / BlockMask::block_size;
      shares[i] = static_cast<double>(blocks * blocks - flex.blocks->empty_blocks()) /
                  (static_cast<double>(blocks) * static_cast<double>(blocks + 1) / 2);
      const auto with = [](const AttentionMasks& masks) {
        return [&masks](const auto& q, const auto& k, const auto& v) { return attend(q, k, v, masks); };
      };
      seconds[name + " flex"].push_back(time(with(flex)));
      seconds[name + " sdpa"].push_back(time(with(dense)));
      seconds[name + " flag"].push_back(
          time([](const auto& q, const auto& k, const auto& v) { return sdpa_causal(q, k, v); }));
      seconds[name + " plain"].push_back(time([&](const auto& q, const auto& k, const auto& v) {
        return written_out(q, k, v, dense.allowed_B1SS);
      }));
    }
  fmt::print(
      "S = {}, medians of {} rounds, seconds forward and "
      "backward\n{:<22}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>12}{:>10}\n",
      S, rounds, "mask", "blocks", "make", "flex", "sdpa", "flag", "plain", "sdpa/flex", "of share");
  bool good = true;
  const double causal = median(seconds["causal flex"]);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string name = rows[i].name;
    const auto of = [&](const char* what) { return median(seconds[name + what]); };
    const double flex = of(" flex"), gain = of(" sdpa") / flex, of_share = flex / (causal * shares[i]);
    fmt::print("{:<22}{:>7.0f}%{:>9.4f}{:>9.4f}{:>9.4f}{:>9.4f}{:>9.4f}{:>12.2f}{:>10.2f}\n", name,
               100 * shares[i], of(" make"), flex, of(" sdpa"), of(" flag"), of(" plain"), gain, of_share);
    good = good && of_share <= 1.5 && (shares[i] > 0.5 || gain >= 1);
  }
  fmt::print("{}\n", good ? "ok" : "MISSED");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace parity::reference

int main(int argc, char** argv) {
  const int64_t S = argc > 1 ? std::atoll(argv[1]) : 4096;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  if (S < 1 || rounds < 1) {
    std::cerr << "usage: attention_bench [SEQ_LEN [ROUNDS]]\n";
    return 2;
  }
  return parity::reference::run(S, rounds);
}
