// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/context_parallel.hpp"

#include <numeric>
#include <string>

#include "harness/base/error.hpp"

namespace parity::reference {

std::vector<int64_t> context_positions(int64_t seq_len, int64_t ranks, int64_t rank) {
  require(seq_len % (2 * ranks) == 0, "a sequence of " + std::to_string(seq_len) + " over " +
                                          std::to_string(ranks) + " context-parallel ranks");
  const int64_t length = seq_len / (2 * ranks);
  std::vector<int64_t> positions;
  for (const int64_t chunk : {rank, 2 * ranks - 1 - rank})
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(chunk * length + i);
  return positions;
}

torch::Tensor gather_context(const torch::Tensor& x, int64_t dim, const GroupPointer& ranks) {
  const int64_t n = ranks->size();
  if (n == 1)
    return x;
  const int64_t count = n * x.size(dim), length = count / (2 * n);
  const torch::Tensor by_rank = gather_for_ranks(x, dim, count, ranks);
  std::vector<torch::Tensor> chunks(static_cast<size_t>(2 * n));
  for (int64_t r = 0; r < n; ++r) {
    chunks[static_cast<size_t>(r)] = by_rank.narrow(dim, 2 * r * length, length);
    chunks[static_cast<size_t>(2 * n - 1 - r)] = by_rank.narrow(dim, (2 * r + 1) * length, length);
  }
  return at::cat(chunks, dim);
}

void apply_context_parallel(ModuleHooks& hooks, int64_t n_layers, const GroupPointer& ranks) {
  if (ranks->size() == 1)
    return;
  for (int64_t i = 0; i < n_layers; ++i)
    for (const char* part : {".attention.k", ".attention.v"})
      hooks.after("layers." + std::to_string(i) + part,
                  [ranks](const torch::Tensor& x_BSKd) { return gather_context(x_BSKd, 1, ranks); });
}

}  // namespace parity::reference
