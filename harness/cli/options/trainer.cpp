// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options/trainer.hpp"

#include <cstdlib>
#include <system_error>

namespace parity::cli {
namespace fs = std::filesystem;

fs::path find_trainer(const std::string& given) {
  if (!given.empty())
    return given;
  if (const char* variable = std::getenv("PARITY_TRAINER"); variable && *variable)
    return variable;
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / "parity-train";
}

void add_trainer_option(CLI::App& app, std::string& trainer) {
  app.add_option("--trainer", trainer,
                 "Path of parity-train (default: $PARITY_TRAINER, else parity-train next to parity)")
      ->type_name("PATH");
}

suite::ConfigSchema trainer_schema(const std::string& given) {
  fs::path file = find_trainer(given);
  file += ".schema.json";
  return suite::ConfigSchema::load(file);
}

}  // namespace parity::cli
