// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/own_programs.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

fs::path own_program(const std::string& name) {
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& place : {folder, folder.parent_path() / "bin"})
    if (fs::exists(place / name, none))
      return place / name;
  return name;
}

}  // namespace parity::suite
