// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/serving/completions.hpp"

#include <algorithm>

#include "harness/measure/tensor/digest.hpp"
#include "reference/rl/sum_of_digits.hpp"

namespace parity::reference {
namespace {

constexpr int64_t row_head = 3;  // of a completion's row of integers, before its tokens

void write_row(const Completion& completion, int64_t* row, double* logprobs) {
  *row++ = static_cast<int64_t>(completion.tokens.size());
  *row++ = completion.ended ? 1 : 0;
  *row++ = completion.version;
  std::ranges::copy(completion.tokens, row);
  std::ranges::copy(completion.logprobs, logprobs);
}

Completion read_row(const int64_t* row, const double* logprobs) {
  Completion completion;
  completion.tokens.assign(row + row_head, row + row_head + row[0]);
  completion.logprobs.assign(logprobs, logprobs + row[0]);
  completion.ended = row[1] != 0;
  completion.version = row[2];
  return completion;
}

}  // namespace

std::vector<RewardGroup> groups_of(const RunConfig& config) {
  std::vector<RewardGroup> groups;
  const auto all = static_cast<size_t>(config.completions());
  for (size_t first = 0; first < all; first += groups.back().size)
    groups.push_back({first, static_cast<size_t>(config.rl.group_of(groups.size()))});
  return groups;
}

std::vector<GenerationRequest> requests_of(const RunConfig& config, int64_t update) {
  const SumOfDigits task(config.rl.digits, config.data.seed);
  const auto rows = static_cast<uint64_t>(config.completions());
  std::vector<GenerationRequest> requests;
  for (int64_t prompt = 0; const RewardGroup& group : groups_of(config)) {
    for (size_t row = group.first; row < group.first + group.size; ++row)
      requests.push_back({task.prompt(update, prompt), config.rl.max_new_tokens,
                          static_cast<uint64_t>(update) * rows + row});
    ++prompt;
  }
  return requests;
}

int64_t digest_of_tokens(const std::vector<std::span<const int64_t>>& sequences) {
  std::vector<int64_t> numbers;
  for (const std::span<const int64_t> tokens : sequences) {
    numbers.push_back(static_cast<int64_t>(tokens.size()));
    numbers.insert(numbers.end(), tokens.begin(), tokens.end());
  }
  const measure::Digest digest =
      measure::digest_of({DType::int64, {static_cast<int64_t>(numbers.size())}, numbers.data()});
  return static_cast<int64_t>(digest.low ^ digest.high);
}

CompletionShare share_of(const PolicyRanks& ranks, int64_t count) {
  if (!ranks.tensor)
    return {};
  const int64_t first = ranks.generator * count / ranks.generators;
  return {first, (ranks.generator + 1) * count / ranks.generators - first};
}

std::vector<Completion> exchange_completions(const PolicyRanks& ranks, const std::vector<Completion>& own,
                                             int64_t count, int64_t longest) {
  // Sums with zeros: every completion comes from the first rank of one generator.
  const torch::Tensor numbers = torch::zeros({count, longest + row_head}, torch::kInt64);
  const torch::Tensor logprobs = torch::zeros({count, longest}, torch::kFloat64);
  const CompletionShare share = share_of(ranks, count);
  for (int64_t i = 0; i < share.count && ranks.gives(); ++i)
    write_row(own[static_cast<size_t>(i)], numbers[share.first + i].data_ptr<int64_t>(),
              logprobs[share.first + i].data_ptr<double>());
  ranks.all->all_reduce(numbers);
  ranks.all->all_reduce(logprobs);
  std::vector<Completion> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(read_row(numbers[i].const_data_ptr<int64_t>(), logprobs[i].const_data_ptr<double>()));
  return all;
}

}  // namespace parity::reference
