// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/texts.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

torch::Tensor one(int64_t number) {
  return torch::full({1}, number, torch::kInt64);
}

/// Returns the text as [size] uint8, padded with zeros.
torch::Tensor padded_bytes(const std::string& text, int64_t size) {
  const torch::Tensor bytes = torch::zeros({size}, torch::kUInt8);
  std::copy_n(text.begin(), std::min(text.size(), static_cast<size_t>(size)),
              bytes.mutable_data_ptr<uint8_t>());
  return bytes;
}

}  // namespace

std::string broadcast_text(const std::string& text, const Group& ranks, int64_t root) {
  if (ranks.size() == 1)
    return text;
  const torch::Tensor size = one(static_cast<int64_t>(text.size()));
  ranks.broadcast(size, root);
  const torch::Tensor bytes = padded_bytes(ranks.rank() == root ? text : "", size.item<int64_t>());
  ranks.broadcast(bytes, root);
  return {static_cast<const char*>(bytes.const_data_ptr()), static_cast<size_t>(bytes.numel())};
}

std::vector<std::string> gather_texts(const std::string& text, const Group& ranks) {
  const torch::Tensor sizes = ranks.all_gather(one(static_cast<int64_t>(text.size())));
  const int64_t longest = std::max<int64_t>(1, sizes.max().item<int64_t>());
  const torch::Tensor bytes = ranks.all_gather(padded_bytes(text, longest));
  std::vector<std::string> texts;
  for (int64_t rank = 0; rank < ranks.size(); ++rank)
    texts.emplace_back(static_cast<const char*>(bytes.const_data_ptr()) + rank * longest,
                       static_cast<size_t>(sizes[rank].item<int64_t>()));
  return texts;
}

}  // namespace parity::reference
