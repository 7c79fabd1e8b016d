// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/commands/reproduce.hpp"

#include "harness/suite/runs/run_settings.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

std::vector<std::string> reproduce_command(const Case& source, const fs::path& out) {
  std::vector<std::string> words = {"parity", "run", source.file.generic_string()};
  for (const std::string& setting : source.settings)
    words.insert(words.end(), {"--set", setting});
  add_out_option(words, out);
  return words;
}

}  // namespace parity::suite
