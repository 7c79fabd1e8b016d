// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/paths.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

fs::path cases_folder_of(const fs::path& absolute) {
  for (fs::path folder = absolute.parent_path(); folder != folder.root_path(); folder = folder.parent_path())
    if (folder.filename() == "cases")
      return folder;
  return {};
}

fs::path golden_file_of(const fs::path& case_file) {
  const fs::path absolute = fs::absolute(case_file).lexically_normal();
  const fs::path folder = cases_folder_of(absolute);
  if (folder.empty())
    return absolute.parent_path() / "golden" / case_file.filename().replace_extension(".h5");
  return folder.parent_path() / "golden" / absolute.lexically_relative(folder).replace_extension(".h5");
}

fs::path case_file_of(const std::string& name, const fs::path& beside) {
  const fs::path absolute = fs::absolute(beside).lexically_normal();
  const fs::path folder = cases_folder_of(absolute);
  return (folder.empty() ? absolute.parent_path() : folder) / (name + ".toml");
}

}  // namespace parity::suite
