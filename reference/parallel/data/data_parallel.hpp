// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity::reference {

/// Reduces the gradients of ranks with different rows of an update. A micro-batch is begin, forward,
/// backward, end; an update ends with finish. Every rank calls the same functions in the same order.
class DataParallel {
 public:
  DataParallel() = default;
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;
  virtual ~DataParallel() = default;

  /// Call it before the forward pass of a micro-batch. \param last  whether it is the last of its update
  virtual void begin(bool last) = 0;
  /// Call it after the backward pass.
  virtual void end() = 0;
  /// Reduces what is not reduced yet. Afterwards every parameter has a gradient. Call it before the norm.
  virtual void finish() = 0;
  /// Drops the gradients that are not stored in the parameters.
  virtual void zero_grad() = 0;
  /// Frees what was gathered of the old parameters. Call it after they were written from outside.
  virtual void drop_gathered() {}
  /// Returns whether the parameters hold the gradients of this rank's rows alone until finish().
  virtual bool keeps_local_gradients() const = 0;
};

}  // namespace parity::reference
