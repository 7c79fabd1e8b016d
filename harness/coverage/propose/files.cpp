// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/files.hpp"

#include "harness/suite/plan/identity/input_paths.hpp"

namespace parity::coverage {
namespace {

void name_files_in(suite::FlatConfig& settings, const std::string& folder) {
  for (auto& entry : settings)
    suite::expand_case_dir(entry.second, folder);
}

}  // namespace

void name_files_in(ProposedCase& proposed, const std::string& folder) {
  name_files_in(proposed.base, folder);
  for (suite::FlatConfig& shorter : proposed.shorter)
    name_files_in(shorter, folder);
  for (ProposedArm& arm : proposed.arms) {
    name_files_in(arm.settings, folder);
    for (suite::FlatConfig& shorter : arm.shorter)
      name_files_in(shorter, folder);
  }
}

}  // namespace parity::coverage
