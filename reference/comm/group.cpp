// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/group.hpp"

#include <algorithm>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "harness/base/error.hpp"
#include "reference/comm/gloo.hpp"
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

/// The first line: what follows is a stack of LibTorch's.
std::string reason_of(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

int64_t bytes_of(const torch::Tensor& tensor) {
  return static_cast<int64_t>(tensor.nbytes());
}

/// [d, ...] with another first dimension.
torch::Tensor like_with_rows(const torch::Tensor& tensor, int64_t rows) {
  std::vector<int64_t> shape = tensor.sizes().vec();
  shape.at(0) = rows;
  return torch::empty(shape, tensor.options());
}

}  // namespace

/// What all groups of a world have in common.
struct Group::Shared {
  /// Connects the ranks of a group on the CPU, which meet in the store.
  using Connect = std::function<c10::intrusive_ptr<c10d::Backend>(
      const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t size)>;
  Connect connect;
  std::chrono::milliseconds timeout = {};  ///< of the device's collectives
  Device device = {};
  std::vector<std::string> warnings = {};
  int64_t collectives = 0;
  std::map<std::string, Traffic> traffic = {};
  std::map<std::string, int64_t> subgroups = {};  ///< made so far under a name
  Watcher watcher = {};

  void tell(std::string_view what) const {
    if (watcher)
      watcher(collectives, what);
  }
};

Group::Group(std::string name, int64_t rank, int64_t size, std::shared_ptr<Shared> shared)
    : name_(std::move(name)), rank_(rank), size_(size), shared_(std::move(shared)) {}

Group::~Group() {
  // Every call has ended, here and on the other ranks, or there is nobody left to wait for: what is to be
  // said of a lost rank has been said.
  const auto end = [](auto& backend) {
    try {
      if (backend)
        backend->abort();
    } catch (const std::exception&) {
      backend = nullptr;
    }
  };
  end(device_messages_);
  end(device_backend_);
}

const Device& Group::device() const {
  return shared_->device;
}

void Group::connect_device() {
  const Device& device = shared_->device;
  const auto make = [this, device](const std::string& name, int64_t rank, int64_t size) {
    return device.plugin->make_backend(c10::make_intrusive<c10d::PrefixStore>("device/" + name, store_),
                                       static_cast<int>(rank), static_cast<int>(size), device.index(),
                                       shared_->timeout);
  };
  device_backend_ = make("all", rank_, size_);
  device_messages_ =
      std::make_unique<TaggedMessages>(backend_, rank_, [make, this](int64_t sender, int64_t receiver) {
        auto channel =
            make(std::to_string(sender) + "-" + std::to_string(receiver), rank_ == sender ? 0 : 1, 2);
        channel->eagerConnectSingleDevice(shared_->device.place);
        return channel;
      });
}

c10d::Backend& Group::backend_of(const torch::Tensor& tensor) const {
  if (tensor.is_cpu())
    return *backend_;
  require(device_backend_ != nullptr && tensor.device() == shared_->device.place,
          "a tensor on " + tensor.device().str() + " where the ranks of " + name_ + " compute on " +
              shared_->device.place.str());
  return *device_backend_;
}

void Group::connect(c10::intrusive_ptr<c10d::Store> store) {
  store_ = std::move(store);
  shared_->tell("meeting of " + name_);
  try {
    backend_ = shared_->connect(store_, rank_, size_);
    if (!shared_->device.is_cpu())
      connect_device();
  } catch (const std::exception& error) {
    throw PeerLost("the " + std::to_string(size_) + " ranks of group " + name_ +
                   " did not meet: " + reason_of(error));
  }
  shared_->tell("");
}

std::shared_ptr<Group> Group::world(const Job& job, std::chrono::milliseconds timeout, const Device& device) {
  auto shared = std::make_shared<Shared>(
      Shared{[local = !job.file.empty(), timeout](const auto& store, int64_t rank, int64_t size) {
               return make_gloo(store, rank, size, local, timeout);
             },
             timeout, device});
  std::shared_ptr<Group> group(new Group("world", job.rank, job.world_size, std::move(shared)));
  if (job.world_size == 1)
    return group;
  try {
    // A store that outlives its ranks still holds what those of the attempt before left in it.
    group->connect(c10::make_intrusive<c10d::PrefixStore>("world/" + std::to_string(job.attempt),
                                                          make_store(job, timeout)));
  } catch (const PeerLost&) {
    throw;
  } catch (const std::exception& error) {
    const std::string place =
        job.file.empty() ? job.master_address + ":" + std::to_string(job.master_port) : job.file.string();
    throw UserError("rank " + std::to_string(job.rank) + " cannot reach the store at " + place + " (" +
                    reason_of(error) + "); check MASTER_ADDR and MASTER_PORT, and that rank 0 is up");
  }
  return group;
}

std::shared_ptr<Group> Group::over(c10::intrusive_ptr<c10d::Backend> existing,
                                   c10::intrusive_ptr<c10d::Store> store) {
  auto shared = std::make_shared<Shared>(Shared{[existing](const auto& meeting, int64_t rank, int64_t size) {
    return make_gloo_like(*existing, meeting, rank, size);
  }});
  shared->warnings = {
      "the ranks use a process group that exists already; PARITY_TIMEOUT, PARITY_RENDEZVOUS, "
      "MASTER_ADDR, MASTER_PORT and GLOO_SOCKET_IFNAME have no effect on it"};
  std::shared_ptr<Group> group(
      new Group("world", existing->getRank(), existing->getSize(), std::move(shared)));
  group->store_ = c10::make_intrusive<c10d::PrefixStore>("parity", std::move(store));
  group->backend_ = std::move(existing);
  return group;
}

std::shared_ptr<Group> Group::subgroup(const std::string& name, const std::vector<int64_t>& ranks) const {
  const auto place = std::find(ranks.begin(), ranks.end(), rank_);
  require(place != ranks.end() && std::is_sorted(ranks.begin(), ranks.end()),
          "rank " + std::to_string(rank_) + " asks for a group without itself");
  std::shared_ptr<Group> group(
      new Group(name, place - ranks.begin(), static_cast<int64_t>(ranks.size()), shared_));
  // What a group of the same name left in the store would be taken for this one's.
  const int64_t before = shared_->subgroups[name]++;
  if (group->size_ > 1)
    group->connect(c10::make_intrusive<c10d::PrefixStore>(
        name + "/" + std::to_string(ranks.front()) + "/" + std::to_string(before), store_));
  return group;
}

/// A collective or message that has begun.
struct PendingSend::State {
  torch::Tensor tensor;
  std::function<void()> end;  ///< waits for it
  std::string words;
  std::function<void(bool waits)> tell;

  void wait() const {
    tell(true);
    try {
      end();
    } catch (const std::exception& error) {
      throw PeerLost(words + ", did not end: " + reason_of(error));
    }
    tell(false);
  }
};

PendingSend::PendingSend(std::unique_ptr<State> state) : state_(std::move(state)) {}
PendingSend::PendingSend(PendingSend&&) noexcept = default;
PendingSend& PendingSend::operator=(PendingSend&&) noexcept = default;
PendingSend::~PendingSend() = default;

void PendingSend::wait() {
  state_->wait();
}

namespace {

std::function<void()> waiting(const TaggedMessages::Works& works) {
  return [works] {
    for (const auto& work : works)
      work->wait();
  };
}

/// A collective's own, or what a callable that was begun left to be called.
std::function<void()> ending(const c10::intrusive_ptr<c10d::Work>& work) {
  return waiting({work});
}

std::function<void()> ending(std::function<void()> end) {
  return end;
}

}  // namespace

template <class Start>
PendingSend Group::start(const char* kind, const torch::Tensor& given, const Start& start) const {
  require(given.is_contiguous(), std::string(kind) + " of a tensor that is not contiguous");
  const int64_t number = ++shared_->collectives;
  Traffic& traffic = shared_->traffic[name_ + " " + kind];
  ++traffic.calls;
  traffic.bytes += bytes_of(given);
  auto state = std::make_unique<PendingSend::State>();
  state->tensor = given;
  state->words = "collective " + std::to_string(number) + ", " + kind + " over " + name_ + " as rank " +
                 std::to_string(rank_) + " of " + std::to_string(size_);
  state->tell = [shared = shared_, what = std::string(kind) + " over " + name_](bool waits) {
    shared->tell(waits ? what : "");
  };
  // A device's ranks meet inside the first call of their backend.
  const bool may_wait = !given.is_cpu();
  if (may_wait)
    state->tell(true);
  try {
    state->end = ending(start());
  } catch (const std::exception& error) {
    throw PeerLost(state->words + ", did not end: " + reason_of(error));
  }
  if (may_wait)
    state->tell(false);
  return PendingSend(std::move(state));
}

template <class Start>
void Group::perform(const char* kind, const torch::Tensor& given, const Start& start) const {
  this->start(kind, given, start).wait();
}

void Group::all_reduce(const torch::Tensor& tensor, Reduction reduction) const {
  if (size_ == 1)
    return;
  perform("all_reduce", tensor, [&] {
    std::vector<torch::Tensor> tensors = {tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = reduce_op(reduction);
    return backend_of(tensor).allreduce(tensors, options);
  });
}

torch::Tensor Group::all_gather(const torch::Tensor& tensor) const {
  if (size_ == 1)
    return tensor;
  torch::Tensor all = like_with_rows(tensor, size_ * tensor.size(0));
  torch::Tensor mine = tensor;
  perform("all_gather", tensor, [&] { return backend_of(mine)._allgather_base(all, mine); });
  return all;
}

torch::Tensor Group::reduce_scatter(const torch::Tensor& tensor) const {
  if (size_ == 1)
    return tensor;
  require(tensor.size(0) % size_ == 0, std::to_string(tensor.size(0)) + " rows do not fall into " +
                                           std::to_string(size_) + " equal parts");
  torch::Tensor part = like_with_rows(tensor, tensor.size(0) / size_);
  torch::Tensor whole = tensor;
  perform("reduce_scatter", tensor, [&] { return backend_of(whole)._reduce_scatter_base(part, whole); });
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
  perform("all_to_all", tensor,
          [&] { return backend_of(sent).alltoall_base(received, sent, out_counts, in_counts); });
  return received;
}

void Group::broadcast(const torch::Tensor& tensor, int64_t root) const {
  if (size_ == 1)
    return;
  perform("broadcast", tensor, [&] {
    std::vector<torch::Tensor> tensors = {tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return backend_of(tensor).broadcast(tensors, options);
  });
}

PendingSend Group::start_send(const torch::Tensor& tensor, int64_t to, int64_t tag) const {
  return start("send", tensor, [&] {
    if (!tensor.is_cpu()) {
      static_cast<void>(backend_of(tensor));
      return waiting(device_messages_->start_send(tensor, to, tag));
    }
    std::vector<torch::Tensor> tensors = {tensor};
    return ending(backend_->send(tensors, static_cast<int>(to), static_cast<int>(tag)));
  });
}

void Group::send(const torch::Tensor& tensor, int64_t to, int64_t tag) const {
  start_send(tensor, to, tag).wait();
}

void Group::receive(const torch::Tensor& tensor, int64_t from, int64_t tag) const {
  perform("receive", tensor, [&]() -> std::function<void()> {
    if (!tensor.is_cpu()) {
      static_cast<void>(backend_of(tensor));
      return [this, tensor, from, tag] { device_messages_->receive(tensor, from, tag); };
    }
    std::vector<torch::Tensor> tensors = {tensor};
    return ending(backend_->recv(tensors, static_cast<int>(from), static_cast<int>(tag)));
  });
}

void Group::barrier() const {
  torch::Tensor nothing = torch::zeros({1}, torch::kInt64);
  all_reduce(nothing);
}

const std::map<std::string, Traffic>& Group::traffic() const {
  return shared_->traffic;
}

int64_t Group::collectives() const {
  return shared_->collectives;
}

void Group::watch(Watcher watcher) const {
  shared_->watcher = std::move(watcher);
}

const std::vector<std::string>& Group::warnings() const {
  return shared_->warnings;
}

}  // namespace parity::reference
