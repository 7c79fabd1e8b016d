// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/synthetic_corpus.hpp"

#include <algorithm>
#include <numeric>

#include "reference/data/random.hpp"

namespace parity::reference {
namespace {

enum Purpose : uint64_t { choose_symbols = 1, choose_successors = 2, write_sequence = 3 };

/// Returns a permutation of 0 .. n-1 (Fisher and Yates).
std::vector<int64_t> shuffled(int64_t n, IntegerStream random) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

SyntheticCorpus::SyntheticCorpus(int64_t seed, int64_t vocab_size, const std::vector<int64_t>& reserved)
    : seed_(static_cast<uint64_t>(seed)) {
  symbols_ = shuffled(vocab_size, IntegerStream(seed_, choose_symbols));
  std::erase_if(symbols_, [&](int64_t symbol) {
    return std::find(reserved.begin(), reserved.end(), symbol) != reserved.end();
  });
  const auto count = std::min<int64_t>(static_cast<int64_t>(symbols_.size()), 256);
  symbols_.resize(static_cast<size_t>(count));
  for (const int64_t successor : shuffled(count, IntegerStream(seed_, choose_successors)))
    successors_.push_back(static_cast<uint64_t>(successor));
}

void SyntheticCorpus::read(int64_t index, std::span<int64_t> out) const {
  IntegerStream random(seed_, write_sequence, static_cast<uint64_t>(index));
  const uint64_t count = symbols_.size();
  uint64_t before = random.below(count);
  uint64_t current = random.below(count);
  for (int64_t& token : out) {
    const uint64_t die = random.below(8);
    uint64_t next = random.below(count);
    if (die < 5)
      next = successors_[current];
    else if (die < 7)
      next = (successors_[before] + successors_[current]) % count;
    before = current;
    current = next;
    token = symbols_[current];
  }
}

}  // namespace parity::reference
