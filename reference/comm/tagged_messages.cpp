// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/tagged_messages.hpp"

#include <algorithm>
#include <string>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

/// Gloo's tag of all envelopes. They share one tag, so that they arrive in order. Messages of the CPU have
/// tags from 0.
constexpr int envelope_tag = 1 << 30;

/// Returns the same memory as bytes.
torch::Tensor as_bytes(const torch::Tensor& x) {
  return x.detach().flatten().view(torch::kUInt8);
}

c10::intrusive_ptr<c10d::Work> send_to(c10d::Backend& backend, const torch::Tensor& x, int64_t to, int tag) {
  std::vector<torch::Tensor> tensors = {x};
  return backend.send(tensors, static_cast<int>(to), tag);
}

void receive_from(c10d::Backend& backend, const torch::Tensor& x, int64_t from, int tag) {
  std::vector<torch::Tensor> tensors = {x};
  backend.recv(tensors, static_cast<int>(from), tag)->wait();
}

}  // namespace

const TaggedMessages::Channels& TaggedMessages::channels_with(int64_t other) {
  const auto [place, is_new] = channels_.try_emplace(other);
  if (is_new) {
    // Both ranks use one order, because a channel exists only when both have called.
    const int64_t low = std::min(rank_, other), high = std::max(rank_, other);
    const auto up = make_channel_(low, high), down = make_channel_(high, low);
    place->second = rank_ == low ? Channels{up, down} : Channels{down, up};
  }
  return place->second;
}

TaggedMessages::Works TaggedMessages::start_send(const torch::Tensor& tensor, int64_t to, int64_t tag) {
  const torch::Tensor bytes = as_bytes(tensor);
  // The work holds the envelope.
  Works works = {send_to(*envelopes_, torch::tensor({tag, bytes.numel()}, torch::kInt64), to, envelope_tag)};
  const Channels& channels = channels_with(to);
  if (bytes.numel() > 0)
    works.push_back(send_to(*channels.out, bytes, 1, 0));
  return works;
}

void TaggedMessages::receive(const torch::Tensor& tensor, int64_t from, int64_t tag) {
  const torch::Tensor target = as_bytes(tensor);
  const auto check = [&](int64_t length) {
    require(length == target.numel(), "a message of " + std::to_string(length) + " bytes with tag " +
                                          std::to_string(tag) + " from rank " + std::to_string(from) +
                                          " where " + std::to_string(target.numel()) + " are expected");
  };
  if (const auto found = kept_.find({from, tag}); found != kept_.end()) {
    const torch::Tensor message = found->second.front();
    found->second.pop_front();
    if (found->second.empty())
      kept_.erase(found);
    check(message.numel());
    target.copy_(message);
    return;
  }
  for (;;) {
    const torch::Tensor envelope = torch::zeros({2}, torch::kInt64);
    const Channels& channels = channels_with(from);
    receive_from(*envelopes_, envelope, from, envelope_tag);
    const int64_t comes = envelope[0].item<int64_t>(), length = envelope[1].item<int64_t>();
    const bool is_asked_for = comes == tag;
    if (is_asked_for)
      check(length);
    const torch::Tensor bytes =
        is_asked_for ? target : torch::empty({length}, target.options().dtype(torch::kUInt8));
    if (length > 0)
      receive_from(*channels.in, bytes, 0, 0);
    if (is_asked_for)
      return;
    kept_[{from, comes}].push_back(bytes);
  }
}

int64_t TaggedMessages::kept() const {
  int64_t count = 0;
  for (const auto& [place, messages] : kept_)
    count += static_cast<int64_t>(messages.size());
  return count;
}

void TaggedMessages::abort() {
  for (const auto& [other, channels] : channels_)
    for (const auto& channel : {channels.out, channels.in})
      if (channel)
        channel->abort();
}

}  // namespace parity::reference
