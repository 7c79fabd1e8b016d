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

/// Messages with tags over channels that know none, as NCCL's: what comes out of a channel is what went in
/// first. Before each message an envelope with its tag and length goes through a backend of the CPU. Whoever
/// receives another tag than it asked for keeps the message until somebody asks for it; so the order of
/// receives need not be that of sends.
///
/// A pair of ranks has a channel for each direction, so that both may send before either receives. Both are
/// made at the pair's first message, which has to be the first one for both ranks among messages whose
/// channels are not made yet.
class TaggedMessages {
 public:
  /// Makes a channel between two ranks of the group: rank 0 of it sends, rank 1 receives. Both call it, and
  /// it returns when both have: two sends that wait for their first receive would wait for ever.
  using MakeChannel = std::function<c10::intrusive_ptr<c10d::Backend>(int64_t sender, int64_t receiver)>;
  using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

  /// \param envelopes  between all ranks of the group, with tags; keeps the order of messages of one tag
  TaggedMessages(c10::intrusive_ptr<c10d::Backend> envelopes, int64_t rank, MakeChannel make_channel)
      : envelopes_(std::move(envelopes)), rank_(rank), make_channel_(std::move(make_channel)) {}

  /// \return what is to be waited for; the tensor must not change before
  Works start_send(const torch::Tensor& tensor, int64_t to, int64_t tag);
  /// In place; ends when the message is there.
  void receive(const torch::Tensor& tensor, int64_t from, int64_t tag);
  /// Messages that came and that nobody has asked for yet.
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
