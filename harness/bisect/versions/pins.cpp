// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/pins.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::bisect {
namespace {

constexpr size_t longest_file = size_t{1} << 20;

bool is_plain(const std::string& text) {
  return !text.empty() && std::isalnum(static_cast<unsigned char>(text.front())) != 0 &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '+' || c == '!';
         });
}

void add_pin(Pins& pins, const std::string& word) {
  const size_t at = word.find("==");
  const std::string name = word.substr(0, at);
  const std::string version = at == std::string::npos ? "" : word.substr(at + 2);
  if (!is_plain(name) || !is_plain(version))
    throw UserError(fmt::format(
        "cannot search versions with '{}' (it does not name an exact version); write NAME==VERSION, "
        "for example torch==2.11.0",
        escape_to_line(word, 80)));
  if (!pins.emplace(normalized_name(name), version).second)
    throw UserError(fmt::format("package {} is named twice on one side; give one version", name));
}

/// Adds the requirements of a file, each the first word of its line.
void add_file(Pins& pins, const std::string& path) {
  std::istringstream lines(read_file(path, longest_file));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (words >> word && !word.starts_with('#') && !word.starts_with('-'))
      add_pin(pins, word);
  }
}

}  // namespace

std::string normalized_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool joins = c == '-' || c == '_' || c == '.';
    if (!joins)
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!result.ends_with('-'))
      result += '-';
  }
  return result;
}

Pins parse_pins(const std::string& side) {
  Pins pins;
  std::error_code error;
  if (std::filesystem::is_regular_file(side, error)) {
    add_file(pins, side);
  } else {
    std::string spaced = side;
    std::ranges::replace(spaced, ',', ' ');
    std::istringstream words(spaced);
    for (std::string word; words >> word;)
      add_pin(pins, word);
  }
  if (pins.empty())
    throw UserError(fmt::format("'{}' names no package; write NAME==VERSION, for example torch==2.11.0",
                                escape_to_line(side, 80)));
  return pins;
}

std::string text_of(const Pins& pins) {
  std::string text;
  for (const auto& [name, version] : pins)
    text += (text.empty() ? "" : " ") + name + "==" + version;
  return text;
}

std::vector<std::string> changed_packages(const Pins& good, const Pins& bad) {
  std::vector<std::string> names;
  Pins all = good;
  all.insert(bad.begin(), bad.end());
  for (const auto& [name, version] : all) {
    const auto a = good.find(name), b = bad.find(name);
    if (a == good.end() || b == bad.end() || a->second != b->second)
      names.push_back(name);
  }
  return names;
}

}  // namespace parity::bisect
