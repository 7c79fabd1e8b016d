// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/weight_sync/together.hpp"

#include <algorithm>

#include "reference/comm/texts.hpp"

namespace parity::reference {

void together(const Group& ranks, const std::function<void()>& share) {
  int64_t mine = ranks.size();
  std::string words;
  try {
    share();
  } catch (const std::exception& error) {
    mine = ranks.rank();
    words = error.what();
    words.resize(std::min(words.size(), words.find('\n')));  // LibTorch's stack follows
  }
  const torch::Tensor first = torch::full({1}, mine, torch::kInt64);
  ranks.all_reduce(first, Reduction::min);
  if (const auto rank = first.item<int64_t>(); rank < ranks.size())
    throw RankFailed(rank, broadcast_text(words, ranks, rank));
}

}  // namespace parity::reference
