// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The collectives and messages of Group.
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "harness/base/error.hpp"
#include "reference/comm/group.hpp"
#include "reference/comm/group_shared.hpp"
#include "reference/comm/mirror.hpp"
#include "reference/comm/tagged_messages.hpp"

namespace parity::reference {
namespace {

c10d::ReduceOp reduce_op(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return c10d::ReduceOp::SUM;
    case Reduction::max:
      return c10d::ReduceOp::MAX;
    case Reduction::min:
      return c10d::ReduceOp::MIN;
  }
  throw InternalError("unknown reduction");
}

int64_t bytes_of(const torch::Tensor& tensor) {
  return static_cast<int64_t>(tensor.nbytes());
}

/// Returns the shape [d, ...] with another first dimension.
torch::Tensor like_with_rows(const torch::Tensor& tensor, int64_t rows) {
  std::vector<int64_t> shape = tensor.sizes().vec();
  shape.at(0) = rows;
  return torch::empty(shape, tensor.options());
}

std::function<void()> waiting(const TaggedMessages::Works& works) {
  return [works] {
    for (const auto& work : works)
      work->wait();
  };
}

/// Returns the function that ends a collective: its own wait, or the function that a callable returned.
std::function<void()> ending(const c10::intrusive_ptr<c10d::Work>& work) {
  return waiting({work});
}

std::function<void()> ending(std::function<void()> end) {
  return end;
}

}  // namespace

/// A collective or message that has begun.
struct PendingSend::State {
  torch::Tensor tensor;
  std::function<void()> end;  ///< waits for it
  std::string words;
  std::function<void(bool waits)> report_wait;
  std::function<void()> report_result = {};  ///< shows what it gave; empty: nobody looks
  std::vector<PendingSend> followed = {};    ///< the message of a mirror, which belongs to it

  void wait() const {
    report_wait(true);
    try {
      end();
    } catch (const std::exception& error) {
      throw PeerLost(words + ", did not end: " + reason_of(error));
    }
    report_wait(false);
    if (report_result)
      report_result();
  }
};

PendingSend::PendingSend(std::unique_ptr<State> state) : state_(std::move(state)) {}
PendingSend::PendingSend(PendingSend&&) noexcept = default;
PendingSend& PendingSend::operator=(PendingSend&&) noexcept = default;
PendingSend::~PendingSend() = default;

void PendingSend::wait() {
  {
    const c10::impl::ExcludeDispatchKeyGuard unseen(Mirror::operators_seen_by);
    state_->wait();
  }
  for (PendingSend& each : state_->followed)
    each.wait();
}

std::string Group::describe_with_ranks(const char* kind) const {
  std::string text = std::string(kind) + " over " + name_ + " of ranks ";
  for (size_t i = 0; i < ranks_.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(ranks_[i]);
  return text;
}

template <class Start>
PendingSend Group::start(const char* kind, const Bytes& bytes, const Start& start) const {
  // The copies inside of a backend belong to no model, so nothing follows them.
  const c10::impl::ExcludeDispatchKeyGuard unseen(Mirror::operators_seen_by);
  const torch::Tensor& given = bytes.sent.defined() ? bytes.sent : bytes.received;
  require(given.is_contiguous(), std::string(kind) + " of a tensor that is not contiguous");
  const int64_t number = ++shared_->collectives;
  Traffic& traffic = shared_->traffic[name_ + " " + kind];
  ++traffic.calls;
  traffic.bytes += bytes_of(given);
  auto state = std::make_unique<PendingSend::State>();
  state->tensor = given;
  state->words = "collective " + std::to_string(number) + ", " + kind + " over " + name_ + " as rank " +
                 std::to_string(rank_) + " of " + std::to_string(size_) + shared_->host;
  state->report_wait = [shared = shared_, what = std::string(kind) + " over " + name_](bool waits) {
    shared->report_wait(waits ? what : "");
  };
  if (const CollectiveTap& tap = shared_->tap; tap.sent) {
    const std::string what = describe_with_ranks(kind);
    const int64_t mine = bytes.sent.defined() ? tap.sent(what, bytes.sent) : -1;
    if (bytes.received.defined())
      state->report_result = [received = tap.received, what, mine, result = bytes.received] {
        received(what, mine, result);
      };
  }
  // A device's ranks meet inside the first call of their backend.
  const bool may_wait = !given.is_cpu();
  if (may_wait)
    state->report_wait(true);
  try {
    state->end = ending(start());
  } catch (const std::exception& error) {
    throw PeerLost(state->words + ", did not end: " + reason_of(error));
  }
  if (may_wait)
    state->report_wait(false);
  return PendingSend(std::move(state));
}

template <class Start>
void Group::perform(const char* kind, const Bytes& bytes, const Start& start) const {
  this->start(kind, bytes, start).wait();
}

/// Returns who follows a tensor's collectives; null: nobody, also while operators are not seen.
Mirror* Group::mirror_of(const torch::Tensor& tensor) const {
  const bool sees = !c10::impl::tls_is_dispatch_key_excluded(Mirror::operators_seen_by);
  return sees && tensor.is_floating_point() ? shared_->mirror.get() : nullptr;
}

void Group::follow(std::shared_ptr<Mirror> mirror) const {
  shared_->mirror = std::move(mirror);
}

void Group::all_reduce(const torch::Tensor& tensor, Reduction reduction) const {
  if (size_ == 1)
    return;
  Mirror* const mirror = mirror_of(tensor);
  const std::unique_ptr<Mirror::Taken> before = mirror != nullptr ? mirror->take(tensor) : nullptr;
  perform("all_reduce", {tensor, tensor}, [&] {
    std::vector<torch::Tensor> tensors = {tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = reduce_op(reduction);
    return backend_of(tensor).allreduce(tensors, options);
  });
  if (before)
    mirror->all_reduced(*this, tensor, *before, reduction);
}

torch::Tensor Group::all_gather(const torch::Tensor& tensor) const {
  if (size_ == 1)
    return tensor;
  torch::Tensor all = like_with_rows(tensor, size_ * tensor.size(0));
  torch::Tensor mine = tensor;
  perform("all_gather", {tensor, all}, [&] { return backend_of(mine)._allgather_base(all, mine); });
  if (Mirror* const mirror = mirror_of(tensor))
    mirror->all_gathered(*this, tensor, all);
  return all;
}

torch::Tensor Group::reduce_scatter(const torch::Tensor& tensor) const {
  if (size_ == 1)
    return tensor;
  require(tensor.size(0) % size_ == 0, std::to_string(tensor.size(0)) + " rows do not fall into " +
                                           std::to_string(size_) + " equal parts");
  torch::Tensor part = like_with_rows(tensor, tensor.size(0) / size_);
  torch::Tensor whole = tensor;
  perform("reduce_scatter", {tensor, part},
          [&] { return backend_of(whole)._reduce_scatter_base(part, whole); });
  if (Mirror* const mirror = mirror_of(tensor))
    mirror->reduce_scattered(*this, tensor, part);
  return part;
}

torch::Tensor Group::all_to_all(const torch::Tensor& tensor, const std::vector<int64_t>& send_rows,
                                const std::vector<int64_t>& receive_rows) const {
  if (size_ == 1)
    return tensor;
  int64_t rows = 0;
  for (const int64_t count : receive_rows)
    rows += count;
  torch::Tensor received = like_with_rows(tensor, rows);
  torch::Tensor sent = tensor;
  std::vector<int64_t> out_counts = receive_rows, in_counts = send_rows;
  perform("all_to_all", {tensor, received},
          [&] { return backend_of(sent).alltoall_base(received, sent, out_counts, in_counts); });
  if (Mirror* const mirror = mirror_of(tensor))
    mirror->exchanged(*this, tensor, received, send_rows, receive_rows);
  return received;
}

void Group::broadcast(const torch::Tensor& tensor, int64_t root) const {
  if (size_ == 1)
    return;
  perform("broadcast", {root == rank_ ? tensor : torch::Tensor(), tensor}, [&] {
    std::vector<torch::Tensor> tensors = {tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return backend_of(tensor).broadcast(tensors, options);
  });
  if (Mirror* const mirror = mirror_of(tensor))
    mirror->broadcast(*this, tensor, root);
}

PendingSend Group::start_send(const torch::Tensor& tensor, int64_t to, int64_t tag) const {
  PendingSend sent = start("send", {tensor, {}}, [&] {
    if (!tensor.is_cpu()) {
      static_cast<void>(backend_of(tensor));
      return waiting(device_messages_->start_send(tensor, to, tag));
    }
    std::vector<torch::Tensor> tensors = {tensor};
    return ending(backend_->send(tensors, static_cast<int>(to), static_cast<int>(tag)));
  });
  if (Mirror* const mirror = mirror_of(tensor))
    sent.state_->followed.push_back(mirror->send(*this, tensor, to, tag));
  return sent;
}

void Group::send(const torch::Tensor& tensor, int64_t to, int64_t tag) const {
  start_send(tensor, to, tag).wait();
}

void Group::receive(const torch::Tensor& tensor, int64_t from, int64_t tag) const {
  perform("receive", {{}, tensor}, [&]() -> std::function<void()> {
    if (!tensor.is_cpu()) {
      static_cast<void>(backend_of(tensor));
      return [this, tensor, from, tag] { device_messages_->receive(tensor, from, tag); };
    }
    std::vector<torch::Tensor> tensors = {tensor};
    return ending(backend_->recv(tensors, static_cast<int>(from), static_cast<int>(tag)));
  });
  if (Mirror* const mirror = mirror_of(tensor))
    mirror->receive(*this, tensor, from, tag);
}

void Group::barrier() const {
  torch::Tensor nothing = torch::zeros({1}, torch::kInt64);
  all_reduce(nothing);
}

}  // namespace parity::reference
