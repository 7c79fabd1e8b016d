// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

namespace parity::cli {

/// Shells that complete parity's command lines.
enum class Shell { bash, zsh, fish };

constexpr auto enum_names(Shell) {
  return named<Shell::fish>("shell", {"bash", "zsh", "fish"});
}

}  // namespace parity::cli
