// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Time of a policy's forward_backward compared with the supervised forward_backward of the same tokens.
//
// Usage: policy_bench [ROUNDS]
//
// llama3.debug (dim 256, 6 layers, vocabulary 2,048), 4 rows of 256 tokens, half of them a completion,
// float32, one thread. Each round runs both once, one after the other, so that a machine that changes speed
// does so for both. It prints medians and their ratio. Exit status 1 if the policy takes more than 1.1 times
// as long.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include <ATen/Parallel.h>

#include "reference/data/random.hpp"
#include "reference/rl/policy_trainer.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

constexpr int64_t rows = 4, seq_len = 256, vocabulary = 2048;
constexpr double most = 1.1;

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

PolicyBatch written_batch() {
  IntegerStream random(1, 2);
  PolicyBatch batch;
  for (int64_t i = 0; i < rows; ++i) {
    Rollout rollout;
    rollout.advantage = i % 2 == 0 ? 0.5 : -0.5;
    const auto token = [&] { return static_cast<int64_t>(random.below(vocabulary)); };
    std::generate_n(std::back_inserter(rollout.prompt), seq_len / 2 + 1, token);
    std::generate_n(std::back_inserter(rollout.completion), seq_len / 2, token);
    rollout.logprobs.assign(rollout.completion.size(), -7.6);
    rollout.loss_mask.assign(rollout.completion.size(), true);
    RolloutLimits limits;
    limits.seq_len = seq_len;
    limits.vocab_size = vocabulary;
    append(batch, batch_of(rollout, limits));
  }
  return batch;
}

int compare(int rounds) {
  RunConfig config;
  config.data.source = DataSource::rollouts;
  Trainer trainer(config);
  PolicyTrainer policy(trainer);
  const PolicyBatch batch = written_batch();
  const PolicyDivisor divisor = divisor_of(std::vector{batch}, 1);
  const UpdateTotals totals = {1, divisor.tokens};
  std::vector<double> supervised, policies;
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    trainer.zero_grad();
    const double one = seconds_of([&] { trainer.forward_backward(batch.rows, totals); });
    trainer.zero_grad();
    const double two = seconds_of([&] { policy.forward_backward(batch, config.rl, divisor); });
    if (round < 0)
      continue;
    supervised.push_back(one);
    policies.push_back(two);
  }
  const double ratio = median(policies) / median(supervised);
  std::cout << fmt::format(
      "supervised {:.1f} ms, policy {:.1f} ms: {:.3f} times as long (at most {}), {} rounds\n",
      1e3 * median(supervised), 1e3 * median(policies), ratio, most, rounds);
  return ratio <= most ? 0 : 1;
}

}  // namespace
}  // namespace parity::reference

int main(int argc, char** argv) {
  at::set_num_threads(1);
  return parity::reference::compare(argc > 1 ? std::atoi(argv[1]) : 15);
}
