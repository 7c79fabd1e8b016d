// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/writer.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/results/write_case.hpp"

namespace parity::suite {
namespace {

/// Returns JSON text indented as json_text does inside a list that is a member. Strings have line breaks as
/// \n, so each line break here is between two values.
std::string indented(const std::string& text) {
  std::string result = "  ";
  result.reserve(text.size() * 5 / 4);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    result.append(text, begin, end - begin);
    if (text[end - 1] == '\n')
      result += "  ";
    begin = end;
  }
  return result;
}

}  // namespace

std::string row_key(const results::Case& item) {
  return fmt::format("{} {}", item.name, fmt::join(item.settings, " "));
}

ResultsRow row_of(const results::Case& item) {
  return {item.file.empty() ? "" : row_key(item), indented(json_text(results::to_json(item), 1))};
}

ResultsWriter::ResultsWriter(std::filesystem::path file)
    : file_(std::move(file)), cases_(file_.parent_path()) {}

void ResultsWriter::add(size_t place, const ResultsRow& row) {
  require(pieces_.emplace(place, cases_.add(row.text)).second, "two cases have one place in the results");
  if (!row.key.empty())
    rows_.insert(row.key);
}

void ResultsWriter::finish(Json rest) {
  require(rest.is_object() && !rest.empty() && !rest.contains("cases"),
          "what is said of all is not the cases");
  rest["rows"] = rows_;
  NewFile file(file_);
  file.write("{\n \"cases\": [");
  const char* before = "\n";
  for (const auto& [place, number] : pieces_) {
    file.write(before);
    file.write(cases_.piece(number));
    before = ",\n";
  }
  file.write(pieces_.empty() ? "]," : "\n ],");
  file.write(json_text(rest, 1).substr(1));  // without its opening brace
  file.write("\n");
  file.finish();
}

}  // namespace parity::suite
