// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <torch/types.h>

#include "reference/comm/job.hpp"
#include "reference/cuda/device.hpp"

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace parity::reference {

/// How a collective combines the ranks' elements.
enum class Reduction { sum, max, min };

/// Counts what a rank sent in collectives of one kind.
struct Traffic {
  int64_t calls = 0;
  int64_t bytes = 0;  ///< of the tensors that this rank put in
};

/// Sees the bytes of collectives and messages: what this rank puts in, before it leaves, and what it got.
/// Either function may change the bytes, which is how a fault on the way is planted.
struct CollectiveTap {
  /// \param what  "all_reduce over dp of ranks 0, 2"
  /// \param sent  bytes of this rank; not called where it puts in none
  /// \return a number that `received` gets for the same collective
  std::function<int64_t(const std::string& what, const torch::Tensor& sent)> sent = {};
  /// \param number    what `sent` returned; -1 where it was not called
  /// \param received  bytes that the collective gave this rank; not called where it gives none
  std::function<void(const std::string& what, int64_t number, const torch::Tensor& received)> received = {};
};

/// Thrown if a collective did not end: another rank is gone or late. It is seldom the first cause.
class PeerLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A message that is being sent. It holds its tensor, which must not change before wait() returns.
class PendingSend {
 public:
  PendingSend(PendingSend&&) noexcept;
  PendingSend& operator=(PendingSend&&) noexcept;
  ~PendingSend();
  /// \throws PeerLost
  void wait();

 private:
  friend class Group;
  struct State;
  explicit PendingSend(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class Mirror;
class TaggedMessages;

/// Runs collectives between some ranks of a job. A group of one rank moves nothing.
///
/// CPU tensors go through Gloo. Tensors of the job's device go through its plug-in's backend (NCCL). Its
/// ranks meet at the first collective of such a tensor. Each call returns when the device has finished it.
///
/// Every rank of a group calls the same collectives in the same order. All tensors are contiguous, and of the
/// same shape and dtype on every rank unless a comment says otherwise. Collectives split or join the first
/// dimension. n is the number of ranks.
/// \throws PeerLost from each collective
class Group {
 public:
  /// Returns the group of all ranks of the job.
  /// \param timeout  for meeting and for each collective
  /// \param device   of this rank; tensors are there or on the CPU
  /// \throws UserError if the ranks do not meet in time
  static std::shared_ptr<Group> world(const Job& job, std::chrono::milliseconds timeout,
                                      const Device& device = {});
  /// Returns the group of all ranks of an existing Gloo process group, for a program that embeds the trainer.
  /// The process group keeps its interfaces and its timeout, also for subgroups.
  /// \param store  through which its ranks met; subgroups use it too
  static std::shared_ptr<Group> over(c10::intrusive_ptr<c10d::Backend> existing,
                                     c10::intrusive_ptr<c10d::Store> store);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Returns a group of some ranks of this group. Each of those ranks calls it with the same name.
  /// \param ranks  of this group, ascending; contains this rank
  std::shared_ptr<Group> subgroup(const std::string& name, const std::vector<int64_t>& ranks) const;

  const std::string& name() const { return name_; }
  int64_t rank() const { return rank_; }  ///< place within the group
  int64_t size() const { return size_; }
  /// Returns the device that this rank computes on.
  const Device& device() const;

  /// Combines the ranks' tensors in place. Every rank gets the same bits.
  void all_reduce(const torch::Tensor& tensor, Reduction reduction = Reduction::sum) const;
  /// Joins the ranks' tensors in order: [d, ...] to [n d, ...].
  torch::Tensor all_gather(const torch::Tensor& tensor) const;
  /// Returns this rank's shard of the sum: [n d, ...] to [d, ...].
  torch::Tensor reduce_scatter(const torch::Tensor& tensor) const;
  /// Sends rows to each rank in order; the counts of rows may differ.
  /// \return the rows from each rank in order
  torch::Tensor all_to_all(const torch::Tensor& tensor, const std::vector<int64_t>& send_rows,
                           const std::vector<int64_t>& receive_rows) const;
  /// Copies the tensor of rank `root` of the group to all ranks, in place.
  void broadcast(const torch::Tensor& tensor, int64_t root) const;
  /// Sends a message to the receive() of the same tag. Messages of one tag arrive in the order of sending.
  /// Returns when the message is received.
  void send(const torch::Tensor& tensor, int64_t to, int64_t tag = 0) const;
  /// Receives a message into `tensor`.
  void receive(const torch::Tensor& tensor, int64_t from, int64_t tag = 0) const;
  /// Starts a send() without waiting, so that two ranks can send to each other.
  PendingSend start_send(const torch::Tensor& tensor, int64_t to, int64_t tag = 0) const;
  void barrier() const;

  /// Returns the traffic of this process over all groups of the same world, by name: "dp all_reduce".
  const std::map<std::string, Traffic>& traffic() const;
  /// Returns the number of collectives begun so far in this process, over all groups.
  int64_t collectives() const;
  /// Called when a collective of any group begins, with its number and name ("all_reduce over tp"). Called
  /// with "" when it has ended. Also called while a subgroup meets. Every collective calls it, so it must be
  /// quick.
  using Watcher = std::function<void(int64_t number, std::string_view what)>;
  void watch(Watcher watcher) const;
  /// Lets `tap` see every collective of all groups from now on; an empty one lets nothing see them.
  void tap(CollectiveTap tap) const;
  /// Lets `mirror` follow every collective of all groups from now on.
  void follow(std::shared_ptr<Mirror> mirror) const;
  /// Returns warnings about environment variables that have no effect on these ranks.
  const std::vector<std::string>& warnings() const;

 private:
  struct Shared;
  Group(std::string name, int64_t rank, std::vector<int64_t> ranks, std::shared_ptr<Shared> shared);
  void connect(c10::intrusive_ptr<c10d::Store> store);
  void connect_device();
  c10d::Backend& backend_of(const torch::Tensor& tensor) const;
  Mirror* mirror_of(const torch::Tensor& tensor) const;
  /// What a collective reads and writes on this rank; undefined where there is nothing.
  struct Bytes {
    torch::Tensor sent, received;
  };
  template <class Start>
  PendingSend start(const char* kind, const Bytes& bytes, const Start& start) const;
  template <class Start>
  void perform(const char* kind, const Bytes& bytes, const Start& start) const;
  std::string describe_with_ranks(const char* kind) const;

  std::string name_;
  int64_t rank_;
  int64_t size_;
  std::vector<int64_t> ranks_;  ///< of the job, in the order of the group
  std::shared_ptr<Shared> shared_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> backend_;         ///< of the CPU; null in a group of one
  c10::intrusive_ptr<c10d::Backend> device_backend_;  ///< null where the job has no device
  std::unique_ptr<TaggedMessages> device_messages_;   ///< null where the job has no device
};

}  // namespace parity::reference
