// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "harness/base/enum_names.hpp"

namespace parity::cli {

/// Shells that complete parity's command lines.
enum class Shell { bash, zsh, fish };
}  // namespace parity::cli

template <>
struct parity::EnumNames<parity::cli::Shell> {
  static constexpr std::string_view what = "shell";
  static constexpr std::array<std::string_view, 3> names = {"bash", "zsh", "fish"};
};
