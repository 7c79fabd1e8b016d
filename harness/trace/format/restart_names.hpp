// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/trace/format/tensor_key.hpp"

namespace parity::trace {

/// Names, phase input, of what a resumed run loaded, and of what the run before saved besides its tensors.
constexpr std::string_view loaded_prefix = "loaded/", saved_prefix = "saved/";

inline bool is_loaded(const TensorKey& key) {
  return key.phase == Phase::input && key.name.starts_with(loaded_prefix);
}
inline bool is_saved(const TensorKey& key) {
  return key.phase == Phase::input && key.name.starts_with(saved_prefix);
}

/// Returns the tensor of the update before whose values a loaded one has to have: "param NAME" for
/// "loaded/param/NAME", "optim NAME" likewise, "input saved/PART" for "loaded/PART". Nothing for any other
/// key.
inline std::optional<TensorKey> saved_key(const TensorKey& key) {
  if (!is_loaded(key))
    return std::nullopt;
  const std::string rest = key.name.substr(loaded_prefix.size());
  for (const Phase phase : {Phase::param, Phase::optim})
    if (const std::string folder = std::string(name_of(phase)) + "/"; rest.starts_with(folder))
      return TensorKey{key.step - 1, phase, rest.substr(folder.size())};
  return TensorKey{key.step - 1, Phase::input, std::string(saved_prefix) + rest};
}

}  // namespace parity::trace
