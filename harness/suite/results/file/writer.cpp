// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/writer.hpp"

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
  for (const char byte : text) {
    result += byte;
    if (byte == '\n')
      result += "  ";
  }
  return result;
}

}  // namespace

std::string row_key(const results::Case& item) {
  return fmt::format("{} {}", item.name, fmt::join(item.settings, " "));
}

ResultsWriter::ResultsWriter(std::filesystem::path file)
    : file_(std::move(file)), cases_(file_.parent_path()) {}

void ResultsWriter::add(size_t place, const results::Case& item) {
  require(pieces_.emplace(place, cases_.add(indented(json_text(results::to_json(item), 1)))).second,
          "two cases have one place in the results");
  if (!item.file.empty())
    rows_.insert(row_key(item));
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
