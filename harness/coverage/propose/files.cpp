// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/files.hpp"

#include <string_view>

#include "harness/base/json/json.hpp"

namespace parity::coverage {
namespace {

/// Changes a text, or the texts of a list.
void name_file_in(Json& value, const std::string& folder) {
  constexpr std::string_view here = "{case_dir}";
  if (value.is_array())
    for (Json& item : value)
      name_file_in(item, folder);
  else if (value.is_string() && value.get_ref<const std::string&>().starts_with(here))
    value = folder + value.get_ref<const std::string&>().substr(here.size());
}

void name_files_in(suite::FlatConfig& settings, const std::string& folder) {
  for (auto& entry : settings)
    name_file_in(entry.second, folder);
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
