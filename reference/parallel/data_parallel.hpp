// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity::reference {

/// How the gradients of ranks with different rows of an update come together. A micro-batch is begin,
/// forward, backward, end; an update ends with finish. Every rank calls the same functions in the same order.
class DataParallel {
 public:
  DataParallel() = default;
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;
  virtual ~DataParallel() = default;

  /// Before the forward pass of a micro-batch. \param last  of its update
  virtual void begin(bool last) = 0;
  /// After its backward pass.
  virtual void end() = 0;
  /// Before the norm: reduces what has not been reduced yet. Every parameter has a gradient after it.
  virtual void finish() = 0;
  /// Forgets the gradients that are not the parameters' own.
  virtual void zero_grad() = 0;
  /// After the parameters were written from outside: what was gathered of the old ones is given back.
  virtual void drop_gathered() {}
  /// Whether the parameters hold gradients of this rank's rows alone until finish.
  virtual bool keeps_local_gradients() const = 0;
};

}  // namespace parity::reference
