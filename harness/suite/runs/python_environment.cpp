// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/python_environment.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/files/file.hpp"

namespace parity::suite {
namespace {

namespace fs = std::filesystem;

/// Returns the name that pip gives to the folder of a package's facts: "typing_extensions" of
/// "typing-extensions".
std::string folder_name(std::string package) {
  std::ranges::replace(package, '-', '_');
  return package;
}

/// Returns whether a virtual environment has a package, by the folder of facts that pip writes last.
bool has_package(const fs::path& environment, const std::string& package) {
  std::error_code error;
  for (fs::directory_iterator version(environment / "lib", error), end; !error && version != end;
       version.increment(error)) {
    std::error_code other;
    for (fs::directory_iterator at(version->path() / "site-packages", other); !other && at != end;
         at.increment(other))
      if (at->path().extension() == ".dist-info" &&
          at->path().filename().string().starts_with(folder_name(package) + "-"))
        return true;
  }
  return false;
}

}  // namespace

std::string missing_environment(const PythonSpec& python) {
  if (python.interpreter.empty())
    return "";
  const std::string make = python.make.empty() ? "" : "; make it with: " + python.make;
  std::error_code error;
  if (!fs::exists(python.interpreter, error))
    return fmt::format("its Python is not there ({}){}", path_from_here(python.interpreter), make);
  std::vector<std::string> missing;
  for (const std::string& package : python.packages)
    if (!has_package(python.interpreter.parent_path().parent_path(), package))
      missing.push_back(package);
  if (missing.empty())
    return "";
  return fmt::format("its Python lacks {} ({}){}", fmt::join(missing, ", "),
                     path_from_here(python.interpreter), make);
}

}  // namespace parity::suite
