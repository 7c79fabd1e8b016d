// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options/own_program.hpp"

#include <algorithm>
#include <filesystem>

#include "harness/base/files/file.hpp"
#include "parity/build_facts.hpp"

namespace parity::cli {
namespace fs = std::filesystem;

std::vector<std::string> own_command_line() {
  const std::string raw = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (size_t begin = 0; begin < raw.size();) {
    const size_t end = std::min(raw.find('\0', begin), raw.size());
    words.push_back(raw.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!words.empty())
    words[0] = fs::path(words[0]).filename().string();
  return words;
}

Json producer() {
  return {{"name", "parity"},
          {"version", build_facts::version},
          {"commit", build_facts::commit},
          {"dirty", build_facts::dirty}};
}

}  // namespace parity::cli
