// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// Stores keys and values of the running sequences. Each layer has one tensor of keys and one of values, in
/// slots of equal length. Hooks add the cache to a model. A pass writes its tokens' rows. Attention then
/// reads the memory of all slots in place; ranges say which keys belong to which sequence.
class KvCache {
 public:
  /// Hooks into the parts k and v of each layer.
  KvCache(ModuleHooks& hooks, int64_t n_layers);

  /// Allocates more memory if there is too little. The stored keys and values are then lost.
  /// \param capacity  tokens of a slot
  void resize(int64_t slots, int64_t capacity);

  /// Returns the row that stores position `position` of a slot's sequence.
  int64_t row(int64_t slot, int64_t position) const;
  /// Returns the range of the first `count` keys of a slot.
  Range keys(int64_t slot, int64_t count) const;

  /// Sets the rows that store the next pass's tokens.
  /// \param rows_T  [T] int64; undefined = the next passes store nothing and attend to their own tokens
  void set_rows(torch::Tensor rows_T);

 private:
  struct Memory;
  std::shared_ptr<Memory> memory_;  ///< the hooks hold it too
};

}  // namespace parity::reference
