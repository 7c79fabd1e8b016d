// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace parity::reports {

/// Turns names into ids of a page and names of files: letters, digits, dashes and underscores, each used
/// once.
class Slugs {
 public:
  explicit Slugs(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string make(const std::string& name) {
    std::string slug = prefix_;
    for (const char byte : name.substr(0, 80)) {
      const bool keep = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
      const bool upper = byte >= 'A' && byte <= 'Z';
      slug += keep ? byte : upper ? static_cast<char>(byte - 'A' + 'a') : '-';
    }
    std::string unique = slug;
    for (int copy = 2; !used_.insert(unique).second; ++copy)
      unique = slug + "-" + std::to_string(copy);
    return unique;
  }

 private:
  std::string prefix_;
  std::set<std::string> used_;
};

}  // namespace parity::reports
