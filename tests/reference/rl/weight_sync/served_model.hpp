// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/model/tensor_parallel.hpp"
#include "reference/rl/weight_sync/weight_sync.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {

/// A served model, sharded over each `tp` consecutive ranks, and full of NaN at first.
class ServedModel {
 public:
  ServedModel(const RunConfig& config, const Group& world, int64_t tp, torch::ScalarType dtype)
      : model_(dimensions_of(config), dtype) {
    std::vector<int64_t> ranks;
    for (int64_t i = 0; i < tp; ++i)
      ranks.push_back(world.rank() / tp * tp + i);
    ParallelConfig cut;
    cut.tp = tp;
    parameters_ = apply_tensor_parallel(model_, cut, world.subgroup("served", ranks));
    forget();
  }

  ModelTensors tensors() const { return {parameters_, model_.router_biases()}; }
  void forget() const {
    const torch::NoGradGuard no_grad;
    for (const ModelTensors all = tensors(); const auto* some : {&all.parameters, &all.buffers})
      for (const Parameter& tensor : *some)
        torch::Tensor(tensor.value).fill_(std::numeric_limits<double>::quiet_NaN());
  }

  Decoder& model() { return model_; }

 private:
  Decoder model_;
  Parameters parameters_;
};

inline bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor x = a.detach().contiguous(), y = b.detach().contiguous();
  return x.scalar_type() == y.scalar_type() && x.sizes() == y.sizes() &&
         (x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0);
}

inline void require_same(const ModelTensors& a, const ModelTensors& b) {
  for (const auto& [x, y] : {std::pair(&a.parameters, &b.parameters), std::pair(&a.buffers, &b.buffers)}) {
    require(x->size() == y->size(), "another number of tensors");
    for (size_t i = 0; i < x->size(); ++i)
      require(same_bits((*x)[i].value, (*y)[i].value), "other bits of " + (*x)[i].name);
  }
}

/// Different numbers for each tensor of a model, the same in every process.
class Truth {
 public:
  Truth(const RunConfig& config, int64_t version = 0) {
    torch::manual_seed(static_cast<uint64_t>(100 + version));
    const Decoder model(dimensions_of(config), torch::kFloat64);
    for (const Parameters& some : {model.parameters(), model.router_biases()})
      for (const Parameter& tensor : some)
        whole_[tensor.name] = torch::randn(tensor.value.sizes(), torch::kFloat64);
  }

  /// Gives a rank its shard of them.
  void write_to(const Parameters& tensors) const {
    const torch::NoGradGuard no_grad;
    for (const Parameter& tensor : tensors)
      torch::Tensor(tensor.value).copy_(part_of_logical(whole_.at(tensor.name), tensor.layout));
  }

  /// Compares what a rank serves with its shard of them, cast through the dtype of training.
  void require_in(const ModelTensors& model, torch::ScalarType trained) const {
    for (const auto* some : {&model.parameters, &model.buffers})
      for (const Parameter& tensor : *some) {
        const torch::Tensor whole = whole_.at(tensor.name).to(trained).to(tensor.value.scalar_type());
        require(same_bits(tensor.value, part_of_logical(whole, tensor.layout)),
                "other bits of " + tensor.name);
      }
  }

 private:
  std::map<std::string, torch::Tensor> whole_;
};

inline void require_all_nan(const ModelTensors& model) {
  for (const auto* some : {&model.parameters, &model.buffers})
    for (const Parameter& tensor : *some)
      require(tensor.value.isnan().all().item<bool>(), tensor.name + " was written to");
}

/// Sizes that few rank counts divide.
inline RunConfig odd_config(Precision dtype = Precision::float32) {
  RunConfig config = tiny_config(dtype);
  config.architecture.vocab_size = 41;
  config.architecture.ffn_hidden = 23;
  config.data.global_batch = 4;
  return config;
}

inline RunConfig config_with_experts() {
  RunConfig config = odd_config();
  config.model = "qwen3.debug_moe_8";
  config.architecture.head_dim = 4;
  config.moe.hidden = 9;
  return config;
}

}  // namespace parity::reference
