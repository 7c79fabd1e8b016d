// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/sum_of_digits.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "reference/data/random.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t prompt_purpose = 23;

/// Returns the number in a completion; nothing if it is not a number.
std::optional<int64_t> number_of(std::span<const int64_t> completion) {
  constexpr size_t most_digits = 9;
  if (completion.empty() || completion.back() != SumOfDigits::end)
    return {};
  const auto digits = completion.first(completion.size() - 1);
  const bool are_digits = std::ranges::all_of(digits, [](int64_t x) { return x >= 0 && x <= 9; });
  if (digits.empty() || digits.size() > most_digits || !are_digits || (digits.size() > 1 && digits[0] == 0))
    return {};
  return std::accumulate(digits.begin(), digits.end(), int64_t{0},
                         [](int64_t number, int64_t digit) { return 10 * number + digit; });
}

}  // namespace

std::vector<int64_t> SumOfDigits::prompt(int64_t update, int64_t index) const {
  IntegerStream random(static_cast<uint64_t>(seed_) ^ scramble(static_cast<uint64_t>(update)), prompt_purpose,
                       static_cast<uint64_t>(index));
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < digits_; ++i)
    tokens.push_back(static_cast<int64_t>(random.below(10)));
  tokens.push_back(equals);
  return tokens;
}

double SumOfDigits::reward(std::span<const int64_t> prompt, std::span<const int64_t> completion) {
  const std::optional<int64_t> number = number_of(completion);
  if (!number)
    return -1;
  const int64_t sum = std::accumulate(prompt.begin(), prompt.end() - 1, int64_t{0});
  return *number == sum ? 1 : 0;
}

}  // namespace parity::reference
