// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/kv_cache.hpp"

#include <string>
#include <vector>

#include "harness/base/error.hpp"

namespace parity::reference {

// Shapes: T tokens of a pass, R rows of all slots, K key heads, d width of a key or of a value.
struct KvCache::Memory {
  int64_t capacity = 0, rows = 0;
  torch::Tensor rows_T;
  std::vector<torch::Tensor> kept_RKd;  ///< undefined until first written

  /// \param x_1TKd  keys or values of the pass's tokens. \return all stored ones, [1, R, K, d]
  torch::Tensor exchange(size_t which, const torch::Tensor& x_1TKd) {
    if (!rows_T.defined())
      return x_1TKd;
    torch::Tensor& kept = kept_RKd[which];
    if (!kept.defined() || kept.size(0) < rows)
      kept = torch::zeros({rows, x_1TKd.size(2), x_1TKd.size(3)}, x_1TKd.options());  // the same each run
    kept.index_copy_(0, rows_T, x_1TKd.squeeze(0));
    return kept.unsqueeze(0);
  }
};

KvCache::KvCache(ModuleHooks& hooks, int64_t n_layers) : memory_(std::make_shared<Memory>()) {
  memory_->kept_RKd.resize(static_cast<size_t>(2 * n_layers));
  for (int64_t layer = 0; layer < n_layers; ++layer) {
    auto which = static_cast<size_t>(2 * layer);
    for (const char* part : {".attention.k", ".attention.v"})
      hooks.after("layers." + std::to_string(layer) + part,
                  [memory = memory_, which = which++](const torch::Tensor& x_1TKd) {
                    return memory->exchange(which, x_1TKd);
                  });
  }
}

void KvCache::resize(int64_t slots, int64_t capacity) {
  memory_->capacity = capacity;
  memory_->rows = slots * capacity;
}

int64_t KvCache::row(int64_t slot, int64_t position) const {
  require(position < memory_->capacity, "position " + std::to_string(position) + " in slots of " +
                                            std::to_string(memory_->capacity) + " tokens");
  return slot * memory_->capacity + position;
}

Range KvCache::keys(int64_t slot, int64_t count) const {
  return {slot * memory_->capacity, count};
}

void KvCache::set_rows(torch::Tensor rows_T) {
  memory_->rows_T = std::move(rows_T);
}

}  // namespace parity::reference
