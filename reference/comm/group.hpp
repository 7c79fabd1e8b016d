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

/// What a rank gave to the collectives of one kind.
struct Traffic {
  int64_t calls = 0;
  int64_t bytes = 0;  ///< of the tensors that this rank put in
};

/// A collective did not end: another rank is gone, or did not come in time. Seldom the first cause.
class PeerLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A message on its way. It holds its tensor, which must not change before wait() is through.
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

class TaggedMessages;

/// Some ranks of a job, and the collectives between them. A group of one rank moves nothing.
///
/// Tensors of the CPU go through Gloo. Those of the job's device go through its plug-in's backend (NCCL),
/// whose ranks meet at the first collective of such a tensor; each call ends when the device has ended it.
///
/// Every rank of a group calls the same collectives in the same order. All tensors are contiguous and of the
/// same shape and dtype on every rank unless said otherwise. n ranks; the first dimension is the one that is
/// split or joined.
/// \throws PeerLost from each collective
class Group {
 public:
  /// All ranks of the job.
  /// \param timeout  for meeting and for each collective
  /// \param device   of this rank; tensors lie there or on the CPU
  /// \throws UserError if the ranks do not meet in time
  static std::shared_ptr<Group> world(const Job& job, std::chrono::milliseconds timeout,
                                      const Device& device = {});
  /// All ranks of a process group over Gloo that exists already: of a program that has the trainer inside.
  /// Its interfaces and its timeout stay as they are, also for groups of fewer ranks.
  /// \param store  through which its ranks met, which the smaller groups use as well
  static std::shared_ptr<Group> over(c10::intrusive_ptr<c10d::Backend> existing,
                                     c10::intrusive_ptr<c10d::Store> store);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// The group of the given ranks of this one, which calls it with the same name on each of them.
  /// \param ranks  of this group, ascending, this one among them
  std::shared_ptr<Group> subgroup(const std::string& name, const std::vector<int64_t>& ranks) const;

  const std::string& name() const { return name_; }
  int64_t rank() const { return rank_; }  ///< place within the group
  int64_t size() const { return size_; }
  /// What this rank computes on.
  const Device& device() const;

  /// In place. The same bits on every rank.
  void all_reduce(const torch::Tensor& tensor, Reduction reduction = Reduction::sum) const;
  /// [d, ...] to [n d, ...], the ranks' tensors in order.
  torch::Tensor all_gather(const torch::Tensor& tensor) const;
  /// [n d, ...] to [d, ...]: this rank's part of the sum.
  torch::Tensor reduce_scatter(const torch::Tensor& tensor) const;
  /// Rows to each rank in order; the counts of rows may differ. \return the rows from each rank in order
  torch::Tensor all_to_all(const torch::Tensor& tensor, const std::vector<int64_t>& send_rows,
                           const std::vector<int64_t>& receive_rows) const;
  /// In place, from rank `root` of the group to all.
  void broadcast(const torch::Tensor& tensor, int64_t root) const;
  /// A message meets the receive of the same tag; messages of one tag come in the order they were sent in.
  /// Ends when it is received.
  void send(const torch::Tensor& tensor, int64_t to, int64_t tag = 0) const;
  /// In place.
  void receive(const torch::Tensor& tensor, int64_t from, int64_t tag = 0) const;
  /// send() that does not wait, so that two ranks can send to each other.
  PendingSend start_send(const torch::Tensor& tensor, int64_t to, int64_t tag = 0) const;
  void barrier() const;

  /// Of this process, over all groups that came from the same world: "dp all_reduce" and so on.
  const std::map<std::string, Traffic>& traffic() const;
  /// Collectives begun so far in this process, over all groups.
  int64_t collectives() const;
  /// Called when a collective of any group begins, with its number and as what ("all_reduce over tp"), and
  /// with "" when it has ended; also while a subgroup meets. Costs a call each, so it had better be quick.
  using Watcher = std::function<void(int64_t number, std::string_view what)>;
  void watch(Watcher watcher) const;
  /// Which settings of the environment have no effect on these ranks.
  const std::vector<std::string>& warnings() const;

 private:
  struct Shared;
  Group(std::string name, int64_t rank, int64_t size, std::shared_ptr<Shared> shared);
  void connect(c10::intrusive_ptr<c10d::Store> store);
  void connect_device();
  c10d::Backend& backend_of(const torch::Tensor& tensor) const;
  template <class Start>
  PendingSend start(const char* kind, const torch::Tensor& given, const Start& start) const;
  template <class Start>
  void perform(const char* kind, const torch::Tensor& given, const Start& start) const;

  std::string name_;
  int64_t rank_;
  int64_t size_;
  std::shared_ptr<Shared> shared_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> backend_;         ///< of the CPU; null in a group of one
  c10::intrusive_ptr<c10d::Backend> device_backend_;  ///< null where the job has no device
  std::unique_ptr<TaggedMessages> device_messages_;   ///< likewise
};

}  // namespace parity::reference
