// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace parity::cli {

/// Adds an option that may be repeated, with one value each time.
inline void add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                         const std::string& what, const std::string& type) {
  app.add_option(name, values, what)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace parity::cli
