// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/weight_sync/weight_sync.hpp"

#include <chrono>
#include <map>

#include "harness/base/error.hpp"
#include "reference/rl/weight_sync/together.hpp"

namespace parity::reference {
namespace {

/// This rank's tensors in the order of the list that all ranks share.
OwnTensors in_order(const ModelTensors& model, const std::vector<SpreadTensor>& tensors) {
  std::map<std::string, OwnTensor> by_name;
  for (const Parameters* own : {&model.parameters, &model.buffers})
    for (const Parameter& tensor : *own)
      by_name[tensor.name] = {tensor.value, tensor.layout};
  OwnTensors result;
  for (const SpreadTensor& tensor : tensors)
    result.push_back(by_name[tensor.name]);
  return result;
}

int64_t bytes_given(const Group& world) {
  int64_t bytes = 0;
  for (const auto& [kind, traffic] : world.traffic())
    bytes += traffic.bytes;
  return bytes;
}

std::string text_of(int64_t version) {
  return version < 0 ? "no version" : "version " + std::to_string(version);
}

}  // namespace

WeightSync::WeightSync(const ModelTensors& trained, const ModelTensors& served, GroupPointer world,
                       PushMethod method, torch::ScalarType transfer_dtype, int64_t bucket_bytes)
    : world_(std::move(world)) {
  std::vector<SpreadTensor> tensors =
      spread_tensors(trained, served, {method, transfer_dtype, bucket_bytes}, *world_);
  served_ = in_order(served, tensors);
  OwnTensors own = in_order(trained, tensors);
  route_ = method == PushMethod::direct
               ? make_direct_route(std::move(tensors), std::move(own), world_, bucket_bytes)
               : make_gathered_route(std::move(tensors), std::move(own), served_, world_);
}

PushResult WeightSync::push(int64_t version) {
  const torch::NoGradGuard no_grad;
  const auto start = std::chrono::steady_clock::now();
  const int64_t before = bytes_given(*world_);
  staged_version_ = -1;
  require_version(version);
  try {
    together(*world_, [this] { stage(); });
    route_->fill(staged_, [this](int64_t done, int64_t all) {
      if (progress_)
        progress_(done, all);
    });
  } catch (const std::exception& error) {
    staged_.clear();
    if (dynamic_cast<const RankFailed*>(&error) == nullptr)
      throw;
    throw UserError("the push of version " + std::to_string(version) + " was interrupted (" + error.what() +
                        "); " + text_of(served_version_) + " is still served, push again",
                    ExitCode::crashed);
  }
  staged_version_ = version;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          bytes_given(*world_) - before};
}

void WeightSync::require_version(int64_t asked) const {
  const torch::Tensor all = world_->all_gather(torch::full({1}, asked, torch::kInt64));
  for (int64_t rank = 0; rank < world_->size(); ++rank)
    if (const auto other = all[rank].item<int64_t>(); other < 0 || other != all[0].item<int64_t>())
      throw UserError("rank " + std::to_string(rank) + " pushes version " + std::to_string(other) +
                      " and rank 0 version " + std::to_string(all[0].item<int64_t>()) +
                      " (versions count from 0, the same on every rank); push the same update everywhere");
}

void WeightSync::stage() {
  staged_.clear();
  for (size_t i = 0; i < served_.size(); ++i) {
    const torch::Tensor& value = served_[i].value;
    staged_.push_back(value.defined() ? torch::empty(value.sizes(), value.options().requires_grad(false))
                                      : torch::Tensor());
  }
}

void WeightSync::pull(int64_t version) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor mine = torch::tensor({{version, staged_version_, served_version_}}, torch::kInt64);
  const torch::Tensor all = world_->all_gather(mine);
  const auto describe_versions = [&all](int64_t rank) {
    return text_of(all[rank][0].item<int64_t>()) + " is requested, " + text_of(all[rank][1].item<int64_t>()) +
           " is staged and " + text_of(all[rank][2].item<int64_t>()) + " is served";
  };
  for (int64_t rank = 1; rank < world_->size(); ++rank)
    if (!all[rank].equal(all[0]))
      throw UserError("the ranks are at different versions (on rank 0 " + describe_versions(0) +
                      ", on rank " + std::to_string(rank) + " " + describe_versions(rank) +
                      "); pull the same version on every rank");
  if (version < 0 || version != staged_version_)
    throw UserError("that version is not staged (" + describe_versions(0) + "); push it first");
  for (size_t i = 0; i < served_.size(); ++i)
    if (served_[i].value.defined())
      served_[i].value.copy_(staged_[i]);
  served_version_ = version;
  staged_version_ = -1;
  staged_.clear();
}

}  // namespace parity::reference
