// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <c10/core/DispatchKey.h>
#include <torch/types.h>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Follows the collectives and messages of floating-point tensors, to repeat them on data that belongs to the
/// tensors. A Group calls it after the values have moved. Its own collectives move integers, which nobody
/// follows.
class Mirror {
 public:
  /// The dispatch key under which a mirror sees operators.
  static constexpr c10::DispatchKey operators_seen_by = c10::DispatchKey::Fake;

  virtual ~Mirror() = default;
  /// What belongs to a tensor, taken before a collective changes the tensor in place.
  struct Taken {
    virtual ~Taken() = default;
  };
  virtual std::unique_ptr<Taken> take(const torch::Tensor& tensor) = 0;
  virtual void all_reduced(const Group& group, const torch::Tensor& result, const Taken& before,
                           Reduction reduction) = 0;
  virtual void all_gathered(const Group& group, const torch::Tensor& mine, const torch::Tensor& all) = 0;
  virtual void reduce_scattered(const Group& group, const torch::Tensor& whole,
                                const torch::Tensor& part) = 0;
  virtual void exchanged(const Group& group, const torch::Tensor& sent, const torch::Tensor& received,
                         const std::vector<int64_t>& send_rows, const std::vector<int64_t>& receive_rows) = 0;
  virtual void broadcast(const Group& group, const torch::Tensor& tensor, int64_t root) = 0;
  virtual PendingSend send(const Group& group, const torch::Tensor& tensor, int64_t to, int64_t tag) = 0;
  virtual void receive(const Group& group, const torch::Tensor& tensor, int64_t from, int64_t tag) = 0;
};

}  // namespace parity::reference
