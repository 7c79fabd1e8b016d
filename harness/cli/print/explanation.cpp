// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/explanation.hpp"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"

namespace parity::cli {
namespace {

/// Returns a value as a cell of at most 40 columns.
std::string cell(const std::string& value) {
  return escape_to_line(value.empty() ? "-" : value, 40);
}

std::string line(std::string_view topic, const std::string& text) {
  return fmt::format("  {}: {}\n", topic, escape_to_line(text, 300));
}

}  // namespace

void print_differences(const explain::Explanation& found, const std::string& first, const std::string& second,
                       size_t most) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> causes;
  size_t hidden = 0;
  for (const explain::Explanation::Part& part : found.parts)
    for (const explain::Row& row : part.finding.rows) {
      if (rows.size() == most) {
        ++hidden;
        continue;
      }
      rows.push_back(
          {std::string(part.topic->name), escape_to_line(row.what, 80), cell(row.first), cell(row.second)});
      if (!row.why.empty())
        causes.push_back(line(part.topic->name, row.why));
      if (!row.keys.empty())
        causes.push_back(line(part.topic->name, fmt::format("set by {}", fmt::join(row.keys, ", "))));
    }
  if (rows.empty())
    return;
  fmt::print("{}", text_table({"topic", "what", cell(first), cell(second)}, rows));
  for (const std::string& cause : causes)
    fmt::print("{}", cause);
  if (hidden > 0)
    fmt::print("  and {} more\n", hidden);
}

void print_explanation(const explain::Explanation& found, const std::string& first, const std::string& second,
                       bool all) {
  print_differences(found, first, second, std::numeric_limits<size_t>::max());
  const Style style = Style::for_stream(stdout);
  for (const explain::Explanation::Part& part : found.parts)
    for (const std::string& text : all ? part.finding.same : std::vector<std::string>())
      fmt::print("{}", style.good(line(part.topic->name, "the same: " + text)));
  for (const explain::Explanation::Part& part : found.parts)
    for (const std::string& text : part.finding.unknown)
      fmt::print("{}", line(part.topic->name, "not compared: " + text));
  const std::string verdict = found.verdict();
  fmt::print("\n{}\n", found.exit_code() == ExitCode::agree ? style.good(verdict) : style.bad(verdict));
}

}  // namespace parity::cli
