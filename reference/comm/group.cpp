// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// How ranks meet. What they do then is in collectives.cpp.
#include "reference/comm/group.hpp"

#include <algorithm>
#include <numeric>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "harness/base/error.hpp"
#include "harness/base/host_name.hpp"
#include "reference/comm/gloo.hpp"
#include "reference/comm/group_shared.hpp"
#include "reference/comm/tagged_messages.hpp"

namespace parity::reference {

namespace {

std::vector<int64_t> all_ranks(int64_t size) {
  std::vector<int64_t> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), int64_t{0});
  return ranks;
}

}  // namespace

Group::Group(std::string name, int64_t rank, std::vector<int64_t> ranks, std::shared_ptr<Shared> shared)
    : name_(std::move(name)),
      rank_(rank),
      size_(static_cast<int64_t>(ranks.size())),
      ranks_(std::move(ranks)),
      shared_(std::move(shared)) {}

Group::~Group() {
  // Every call has ended here and on the other ranks, or no rank remains to wait for. Any lost rank has been
  // reported already.
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
  shared_->report_wait("meeting of " + name_);
  try {
    backend_ = shared_->connect(store_, rank_, size_);
    if (!shared_->device.is_cpu())
      connect_device();
  } catch (const std::exception& error) {
    throw PeerLost("the " + std::to_string(size_) + " ranks of group " + name_ + " did not meet rank " +
                   std::to_string(rank_) + shared_->host + ": " + reason_of(error));
  }
  shared_->report_wait("");
}

std::shared_ptr<Group> Group::world(const Job& job, std::chrono::milliseconds timeout, const Device& device) {
  auto shared = std::make_shared<Shared>(
      Shared{[local = !job.file.empty(), timeout](const auto& store, int64_t rank, int64_t size) {
               return make_gloo(store, rank, size, local, timeout);
             },
             timeout, device, job.file.empty() ? " on " + host_name() : ""});
  std::shared_ptr<Group> group(new Group("world", job.rank, all_ranks(job.world_size), std::move(shared)));
  if (job.world_size == 1)
    return group;
  try {
    // A store that outlives its ranks still holds the entries of the previous attempt.
    group->connect(c10::make_intrusive<c10d::PrefixStore>("world/" + std::to_string(job.attempt),
                                                          make_store(job, timeout)));
  } catch (const PeerLost&) {
    throw;
  } catch (const std::exception& error) {
    const std::string place =
        job.file.empty() ? job.master_address + ":" + std::to_string(job.master_port) : job.file.string();
    throw UserError("rank " + std::to_string(job.rank) + " cannot reach the store at " + place + " (" +
                    reason_of(error) + "); check MASTER_ADDR and MASTER_PORT, and that rank 0 is running");
  }
  return group;
}

std::shared_ptr<Group> Group::over(c10::intrusive_ptr<c10d::Backend> existing,
                                   c10::intrusive_ptr<c10d::Store> store) {
  auto shared = std::make_shared<Shared>(Shared{[existing](const auto& meeting, int64_t rank, int64_t size) {
    return make_gloo_like(*existing, meeting, rank, size);
  }});
  shared->warnings = {
      "the ranks use an existing process group; PARITY_TIMEOUT, PARITY_RENDEZVOUS, MASTER_ADDR, MASTER_PORT "
      "and GLOO_SOCKET_IFNAME have no effect on it"};
  std::shared_ptr<Group> group(
      new Group("world", existing->getRank(), all_ranks(existing->getSize()), std::move(shared)));
  group->store_ = c10::make_intrusive<c10d::PrefixStore>("parity", std::move(store));
  group->backend_ = std::move(existing);
  return group;
}

std::shared_ptr<Group> Group::subgroup(const std::string& name, const std::vector<int64_t>& ranks) const {
  const auto place = std::find(ranks.begin(), ranks.end(), rank_);
  require(place != ranks.end() && std::is_sorted(ranks.begin(), ranks.end()),
          "rank " + std::to_string(rank_) + " asks for a group without itself");
  std::vector<int64_t> of_job;
  for (const int64_t rank : ranks)
    of_job.push_back(ranks_.at(static_cast<size_t>(rank)));
  std::shared_ptr<Group> group(new Group(name, place - ranks.begin(), std::move(of_job), shared_));
  // Entries that an earlier group of the same name left in the store would be taken for this group's.
  const int64_t before = shared_->subgroups[name]++;
  if (group->size_ > 1)
    group->connect(c10::make_intrusive<c10d::PrefixStore>(
        name + "/" + std::to_string(ranks.front()) + "/" + std::to_string(before), store_));
  return group;
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

void Group::tap(CollectiveTap tap) const {
  shared_->tap = std::move(tap);
}

const std::vector<std::string>& Group::warnings() const {
  return shared_->warnings;
}

}  // namespace parity::reference
