// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/table_log.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/logs/builder.hpp"
#include "harness/logs/number.hpp"

namespace parity::logs {
namespace {

char separator_of(const std::string& header) {
  return header.find('\t') != std::string::npos ? '\t' : ',';
}

/// Splits a record into cells. Returns false if a quote is still open at its end.
bool split(const std::string& record, char separator, std::vector<std::string>& cells) {
  cells.assign(1, "");
  bool quoted = false;
  for (size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (quoted && c == '"' && i + 1 < record.size() && record[i + 1] == '"')
      cells.back() += record[++i];
    else if (c == '"' && (quoted || cells.back().empty()))
      quoted = !quoted;
    else if (c == separator && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return !quoted;
}

/// Reads the next record, which may span lines. Returns false at the end of the file.
bool next_record(LineReader& lines, char separator, std::vector<std::string>& cells) {
  std::string record, line;
  if (!lines.next(record))
    return false;
  while (!split(record, separator, cells)) {
    if (!lines.next(line))
      lines.refuse("a quote that is never closed", "close it");
    record += "\n" + line;
    if (record.size() > longest_line)
      lines.refuse(fmt::format("a record longer than {} bytes", longest_line), "is a quote left open?");
  }
  return true;
}

size_t step_column(const std::vector<std::string>& header, const LineReader& lines) {
  const auto found = std::ranges::find_if(header, [](const std::string& name) { return is_step_name(name); });
  if (found == header.end())
    lines.refuse("no column is a step number", "name it step, _step, iter, iteration or global_step");
  return static_cast<size_t>(found - header.begin());
}

}  // namespace

bool is_table_header(const std::string& line) {
  std::vector<std::string> cells;
  return split(line, separator_of(line), cells) && cells.size() > 1 &&
         std::ranges::any_of(cells, [](const std::string& name) { return is_step_name(name); });
}

Log read_table(std::istream& stream, const std::string& file, const NameMap& map) {
  LineReader lines(stream, file);
  std::string first;
  if (!lines.next(first))
    lines.refuse("an empty file", "expected a header line");
  if (first.starts_with("\xEF\xBB\xBF"))  // a byte order mark
    first.erase(0, 3);
  const char separator = separator_of(first);
  std::vector<std::string> header, cells;
  if (!split(first, separator, header))
    lines.refuse("a quote that is never closed", "expected a header line");
  if (std::set<std::string>(header.begin(), header.end()).size() != header.size())
    lines.refuse("two columns have one name", "rename one");
  const size_t at = step_column(header, lines);
  Builder builder(lines, separator == '\t' ? "TSV" : "CSV", map);
  size_t words = 0;  // cells with text that is no number
  while (next_record(lines, separator, cells)) {
    if (cells.size() == 1 && cells[0].empty())
      continue;
    if (cells.size() != header.size())
      lines.refuse(fmt::format("{} cells, expected {} as in the header", cells.size(), header.size()),
                   "is the file cut off?");
    const std::optional<double> number = parse_number(cells[at]);
    const std::optional<int64_t> step = number ? step_of(*number) : std::nullopt;
    if (!step)
      lines.refuse(
          header[at] + " is '" + escape_to_line(cells[at], 40) + "', expected a whole number from 0 on",
          "correct the log");
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::optional<double> value = i == at ? std::nullopt : parse_number(cells[i]);
      if (!value) {
        words += i != at && !cells[i].empty() ? 1 : 0;
        continue;
      }
      if (is_inexact_integer(cells[i]) && name_channel(header[i], map).kind != trace::ChannelKind::timing)
        lines.refuse(parity::quoted(header[i]) + " is an integer beyond 2^53", "leave that column out");
      builder.add(*step, header[i], *value);
    }
  }
  if (words > 0)
    builder.note(fmt::format("{} cells hold no number and are left out", words));
  return builder.finish();
}

}  // namespace parity::logs
