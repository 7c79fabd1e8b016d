// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text/utc.hpp"

#include <array>

#include <sys/stat.h>

namespace parity {

std::string utc_text(std::time_t time) {
  std::tm parts = {};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string utc_now() {
  return utc_text(std::time(nullptr));
}

std::string utc_of_file(const std::filesystem::path& file) {
  struct stat facts = {};
  return ::stat(file.c_str(), &facts) == 0 ? utc_text(facts.st_mtime) : "";
}

}  // namespace parity
