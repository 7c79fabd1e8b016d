// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include <torch/types.h>

namespace c10d {
class Backend;
class Work;
}  // namespace c10d

namespace parity::reference {

/// Sends messages with tags over channels without tags, such as NCCL's, which deliver messages in order.
/// Before each message an envelope with its tag and length goes through a CPU backend. A receiver keeps a
/// message of another tag until it is asked for. So receives may have another order than sends.
///
/// A pair of ranks has a channel for each direction, so that both may send before either receives. Both
/// channels are created at the pair's first message. That message must come first on both ranks among the
/// messages whose channels do not exist yet.
class TaggedMessages {
 public:
  /// Creates a channel between two ranks of the group: its rank 0 sends, its rank 1 receives. Both ranks call
  /// it, and it returns when both have. Otherwise two sends could wait forever for their first receive.
  using MakeChannel = std::function<c10::intrusive_ptr<c10d::Backend>(int64_t sender, int64_t receiver)>;
  using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

  /// \param envelopes  between all ranks of the group, with tags; keeps the order of messages of one tag
  TaggedMessages(c10::intrusive_ptr<c10d::Backend> envelopes, int64_t rank, MakeChannel make_channel)
      : envelopes_(std::move(envelopes)), rank_(rank), make_channel_(std::move(make_channel)) {}

  /// Starts a send. \return the work to wait for; the tensor must not change before it is done
  Works start_send(const torch::Tensor& tensor, int64_t to, int64_t tag);
  /// Receives into `tensor`; returns when the message has arrived.
  void receive(const torch::Tensor& tensor, int64_t from, int64_t tag);
  /// Returns the number of messages that have arrived but were not received yet.
  int64_t kept() const;
  /// Ends all channels.
  void abort();

 private:
  struct Channels {
    c10::intrusive_ptr<c10d::Backend> out, in;
  };
  const Channels& channels_with(int64_t other);

  c10::intrusive_ptr<c10d::Backend> envelopes_;
  int64_t rank_;
  MakeChannel make_channel_;
  std::map<int64_t, Channels> channels_;                                   ///< by the other rank
  std::map<std::pair<int64_t, int64_t>, std::deque<torch::Tensor>> kept_;  ///< bytes, by sender and tag
};

}  // namespace parity::reference
