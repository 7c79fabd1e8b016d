// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "reference/parallel/core/layout.hpp"
#include "reference/rl/weight_sync/push_route.hpp"
#include "reference/rl/weight_sync/spread_tensors.hpp"
#include "reference/rl/weight_sync/together.hpp"

namespace parity::reference {
namespace {

/// Returns the ranks that train a shard of a tensor.
std::vector<int64_t> holders_of(const SpreadTensor& tensor) {
  std::vector<int64_t> ranks;
  for (size_t rank = 0; rank < tensor.held.size(); ++rank)
    if (tensor.held[rank])
      ranks.push_back(static_cast<int64_t>(rank));
  return ranks;
}

class GatheredRoute final : public PushRoute {
 public:
  GatheredRoute(std::vector<SpreadTensor> tensors, OwnTensors trained, OwnTensors served, GroupPointer world)
      : tensors_(std::move(tensors)),
        trained_(std::move(trained)),
        served_(std::move(served)),
        world_(std::move(world)) {
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (trained_[i].value.defined())
        group_of(holders_of(tensors_[i]));
  }

  void fill(const std::vector<torch::Tensor>& staged, const Progress& progress) override {
    const auto all = static_cast<int64_t>(tensors_.size());
    std::vector<torch::Tensor> state_dict;
    for (int64_t i = 0; i < all; ++i) {
      together(*world_, [&] { progress(i, all); });
      state_dict.push_back(whole(static_cast<size_t>(i)));
    }
    together(*world_, [&] {
      for (size_t i = 0; i < staged.size(); ++i)
        if (staged[i].defined())
          staged[i].copy_(part_of_logical(state_dict[i], served_[i].layout));
      progress(all, all);
    });
  }

 private:
  /// Returns the group of a tensor's holders: all ranks, or a stage of the pipeline.
  const GroupPointer& group_of(const std::vector<int64_t>& ranks) {
    GroupPointer& group = groups_[ranks];
    if (!group) {
      std::string name = "weights of";
      for (const int64_t rank : ranks)
        name.append(" ").append(std::to_string(rank));
      group = static_cast<int64_t>(ranks.size()) == world_->size() ? world_ : world_->subgroup(name, ranks);
    }
    return group;
  }

  /// Returns the whole tensor, on the CPU.
  torch::Tensor whole(size_t i) {
    const std::vector<int64_t> holders = holders_of(tensors_[i]);
    const OwnTensor& own = trained_[i];
    const torch::Tensor result =
        own.value.defined() ? logical_tensor(own.value.detach(), own.layout, *group_of(holders)).contiguous()
                            : torch::empty(tensors_[i].shape, scalar_type_of(tensors_[i].trained_dtype));
    if (static_cast<int64_t>(holders.size()) < world_->size())
      world_->broadcast(result, holders.front());
    return result;
  }

  std::vector<SpreadTensor> tensors_;
  OwnTensors trained_, served_;
  GroupPointer world_;
  std::map<std::vector<int64_t>, GroupPointer> groups_;
};

}  // namespace

std::unique_ptr<PushRoute> make_gathered_route(std::vector<SpreadTensor> tensors, OwnTensors trained,
                                               OwnTensors served, GroupPointer world) {
  return std::make_unique<GatheredRoute>(std::move(tensors), std::move(trained), std::move(served),
                                         std::move(world));
}

}  // namespace parity::reference
