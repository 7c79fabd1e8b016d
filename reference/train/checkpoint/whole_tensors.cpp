// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checkpoint/whole_tensors.hpp"

#include <vector>

#include <torch/csrc/jit/serialization/pickle.h>

#include "reference/parallel/core/layout.hpp"

namespace parity::reference {
namespace {

torch::Tensor bytes_view(std::vector<char>& bytes) {
  return torch::from_blob(bytes.data(), {static_cast<int64_t>(bytes.size())}, torch::kUInt8);
}

void send_to_first(const Entries& entries, const Group& stages) {
  std::vector<char> bytes = torch::jit::pickle_save(entries);
  stages.send(torch::tensor(static_cast<int64_t>(bytes.size()), torch::kInt64), 0);
  stages.send(bytes_view(bytes), 0);
}

void receive_from(int64_t other, Entries& entries, const Group& stages) {
  const torch::Tensor size = torch::tensor(int64_t{0}, torch::kInt64);
  stages.receive(size, other);
  std::vector<char> bytes(static_cast<size_t>(size.item<int64_t>()));
  stages.receive(bytes_view(bytes), other);
  for (const auto& entry :
       c10::impl::toTypedDict<std::string, torch::Tensor>(torch::jit::pickle_load(bytes).toGenericDict()))
    entries.insert(entry.key(), entry.value());
}

}  // namespace

void insert_whole(Entries& entries, const std::string& name, const torch::Tensor& value,
                  const TensorLayout& layout, const Parallel& parallel) {
  entries.insert(name, logical_tensor(value, layout, *parallel.stage));
}

bool join_stages(Entries& entries, const Parallel& parallel) {
  if (parallel.stage->rank() > 0)
    return false;
  const Group& stages = *parallel.pipeline;
  if (stages.rank() > 0) {
    send_to_first(entries, stages);
    return false;
  }
  for (int64_t other = 1; other < stages.size(); ++other)
    receive_from(other, entries, stages);
  return parallel.world->rank() == 0;
}

}  // namespace parity::reference
