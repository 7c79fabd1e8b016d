// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/github.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/base/terminal/say.hpp"
#include "reports/text/annotations.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

constexpr size_t largest_summary = 1 << 20;  ///< GitHub's limit for a step [bytes]

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void append_summary(const fs::path& out, const fs::path& file) {
  const std::string summary = read_file(out / "summary.md");
  std::error_code none;
  const auto there = fs::file_size(file, none);
  if (!none && there + summary.size() > largest_summary) {
    say("cannot add {} to the job summary (GitHub accepts 1 MiB a step); see it in {}\n",
        (out / "summary.md").filename().string(), out.string());
    return;
  }
  std::ofstream stream(file, std::ios::app | std::ios::binary);
  stream << summary << "\n";
  if (!stream.flush())
    say("cannot append to the job summary {} (named by GITHUB_STEP_SUMMARY); see {}\n", file.string(),
        (out / "summary.md").string());
}

}  // namespace

void report_to_github(const reports::Results& results, const fs::path& out) {
  if (variable("GITHUB_ACTIONS") != "true")
    return;
  if (const std::string file = variable("GITHUB_STEP_SUMMARY"); !file.empty())
    append_summary(out, file);
  say("{}", reports::annotations(results, variable("GITHUB_WORKSPACE")));
}

}  // namespace parity::cli
