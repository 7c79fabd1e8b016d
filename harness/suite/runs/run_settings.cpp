// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/run_settings.hpp"

namespace parity::suite {

void add_out_option(std::vector<std::string>& words, const std::filesystem::path& out) {
  if (out != default_out_folder)
    words.insert(words.end(), {"--out", out.string()});
}

}  // namespace parity::suite
