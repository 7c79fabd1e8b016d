// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/named_case.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/suite/cases/find_cases.hpp"
#include "harness/suite/cases/read/file.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

Case named_case(const std::string& words, const fs::path& root) {
  const std::vector<fs::path> files = find_case_files({{words}, {}, {}}, root);
  if (files.size() != 1)
    throw UserError(fmt::format("{} matches {} cases, expected one; name one of them", parity::quoted(words),
                                files.size()));
  return read_case(files.front());
}

ArmWords::ArmWords(const std::string& words) : source(words) {
  std::error_code error;
  const size_t colon = words.rfind(':');
  if (colon == std::string::npos || fs::is_regular_file(words, error))
    return;
  source = words.substr(0, colon);
  arm = words.substr(colon + 1);
}

void require_arm(const Case& source, const std::string& name) {
  std::vector<std::string> known;
  for (const Arm& arm : source.arms)
    known.push_back(arm.name);
  if (std::ranges::find(known, name) == known.end())
    throw UserError(
        fmt::format("case {} has no arm {}{}", source.name, parity::quoted(name), suggestion(name, known)));
}

}  // namespace parity::suite
