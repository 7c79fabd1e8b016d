// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into parity-train under context parallelism, cuts one of the tensors that a rank reads a place
// too far: CUT_TOO_FAR is "tokens", "positions" or "labels". Labels are then shifted twice.
#include <cstdlib>
#include <string_view>

#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

/// Returns whether this cut of a sequence is the one to move. Each piece cuts the three tensors in this
/// order.
bool is_chosen() {
  static constexpr std::string_view names[] = {"tokens", "positions", "labels"};
  static const char* const chosen = std::getenv("CUT_TOO_FAR");
  static size_t cuts = 0;
  return chosen != nullptr && names[cuts++ % 3] == chosen;
}

at::Tensor wrong_cut(const at::Tensor& x, int64_t dim, const at::Tensor& index) {
  const bool is_sequence = x.dim() == 2 && dim == 1 && x.scalar_type() == at::kLong;
  const at::Tensor places = is_sequence && is_chosen() ? index.add(1).remainder(x.size(1)) : index;
  std::vector<int64_t> view(static_cast<size_t>(x.dim()), 1), whole = x.sizes().vec();
  view[static_cast<size_t>(dim)] = whole[static_cast<size_t>(dim)] = index.numel();
  return x.gather(dim, places.view(view).expand(whole));
}

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("index_select", wrong_cut);
}

}  // namespace
