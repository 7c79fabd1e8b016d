// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// Keys and values of the sequences that run: slots of equal length in one tensor for each layer's keys and
/// one for its values, put around a model from outside. A pass writes its tokens' rows, and attention looks
/// at all slots' memory as it lies, told by ranges which keys are whose.
class KvCache {
 public:
  /// Stands behind k and v of each layer from now on.
  KvCache(ModuleHooks& hooks, int64_t n_layers);

  /// Makes room, where there is too little. What was kept is lost.
  /// \param capacity  tokens of a slot
  void resize(int64_t slots, int64_t capacity);

  /// Where position `position` of a slot's sequence is kept.
  int64_t row(int64_t slot, int64_t position) const;
  /// The first keys of a slot.
  Range keys(int64_t slot, int64_t count) const;

  /// The rows in which a pass's tokens are kept. \param rows_T  [T] int64; undefined = the next passes keep
  /// nothing, and attend to their own tokens
  void set_rows(torch::Tensor rows_T);

 private:
  struct Memory;
  std::shared_ptr<Memory> memory_;  ///< the hooks hold it too
};

}  // namespace parity::reference
