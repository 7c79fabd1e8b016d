// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/table_log.hpp"

#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/read/builder.hpp"
#include "harness/logs/read/empty_cells.hpp"
#include "harness/logs/read/number.hpp"
#include "harness/logs/read/record_reader.hpp"

namespace parity::logs {
namespace {

using Names = std::vector<std::string>;

char separator_of(const std::string& header) {
  return header.find('\t') != std::string::npos ? '\t' : ',';
}

/// Returns the column of step numbers; nothing if there is none. Of several, the smallest rank counts.
std::optional<size_t> step_column(const Names& header, const NameMap& map) {
  std::optional<size_t> found;
  for (size_t i = 0; i < header.size(); ++i)
    if (const auto rank = step_rank(header[i], map))
      if (!found || *rank < *step_rank(header[*found], map))
        found = i;
  return found;
}

/// Returns the names of columns without the blanks around them, which spreadsheets leave. A name that the
/// user maps stays.
Names names_of(const std::vector<std::string_view>& cells, const NameMap& map) {
  Names names;
  for (const std::string_view cell : cells)
    names.emplace_back(map.contains(std::string(cell)) ? cell : trimmed(cell));
  return names;
}

/// Returns the columns of a header line.
Names read_header(std::string line, LineReader& lines, const NameMap& map) {
  RecordReader records(lines, separator_of(line));
  if (!records.split(std::move(line)))
    lines.refuse("a quote that is never closed", "expected a header line");
  Names header = names_of(records.cells(), map);
  std::set<std::string> seen;
  for (const std::string& name : header)
    if (!seen.insert(name).second)
      lines.refuse("two columns have one name: " + parity::quoted(name), "rename one");
  return header;
}

/// Renames the columns of a chart that W&B exported. It names a run's loss "RUN - loss", and adds two columns
/// of the smallest and the largest value, which are removed from the names: "". Other headers stay.
/// \return the name of the run; "" for another header, or if the user maps a column
std::string strip_export(Names& header, const NameMap& map, const LineReader& place) {
  const std::set<std::string> columns(header.begin(), header.end());
  std::set<std::string> runs;
  Names stripped = header;
  for (std::string& name : stripped) {
    if (map.contains(name))
      return "";
    const bool extreme = name.ends_with("__MIN") || name.ends_with("__MAX");
    const std::string own = extreme ? name.substr(0, name.size() - 5) : name;
    const size_t dash = own.find(" - ");
    if (dash == std::string::npos || !columns.contains(own + "__MIN") || !columns.contains(own + "__MAX"))
      continue;
    runs.insert(own.substr(0, dash));
    name = extreme ? "" : own.substr(dash + 3);
  }
  if (runs.size() > 1)
    place.refuse(fmt::format("an export of {} runs: {} and {}", runs.size(), parity::quoted(*runs.begin()),
                             parity::quoted(*std::next(runs.begin()))),
                 "export one run, or name its column: --map 'loss=RUN - loss'");
  if (runs.empty())
    return "";
  header = std::move(stripped);
  return *runs.begin();
}

/// Adds the cells of the records of a table to a builder.
class TableReader {
 public:
  TableReader(Names header, size_t step_at, const LineReader& place, Builder& builder)
      : header_(std::move(header)), step_at_(step_at), place_(place), builder_(builder) {
    columns_.resize(header_.size());
    other_step_.resize(header_.size());
    for (size_t i = 0; i < header_.size(); ++i) {
      other_step_[i] = i != step_at_ && step_rank(header_[i], builder_.map());
      if (other_step_[i])
        builder_.note(fmt::format("{} is left out, since {} is the step number", parity::quoted(header_[i]),
                                  parity::quoted(header_[step_at_])));
    }
  }

  void add(const std::vector<std::string_view>& cells) {
    if (cells.size() != header_.size())
      place_.refuse(fmt::format("{} cells, expected {} as in the header", cells.size(), header_.size()),
                    "is the file cut off?");
    const std::optional<double> number = parse_number(cells[step_at_]);
    const std::optional<int64_t> step = number ? step_of(*number) : std::nullopt;
    if (!step)
      place_.refuse(header_[step_at_] + " is '" + escape_to_line(cells[step_at_], 40) +
                        "', expected a whole number from 0 on",
                    "correct the log");
    bool has_number = false;
    for (size_t i = 0; i < cells.size(); ++i)
      if (i != step_at_ && !other_step_[i] && !header_[i].empty())
        has_number = add_cell(*step, i, cells[i]) || has_number;
    if (!has_number)
      empty_rows_.push_back(*step);
  }

  /// Returns the steps of rows without a number.
  const std::vector<int64_t>& empty_rows() const { return empty_rows_; }

  void finish() {
    for (const auto& [i, words] : words_)
      builder_.note(fmt::format("{} of {} hold no number and are left out, first '{}'",
                                compare::count_text(words.count, "cell"), parity::quoted(header_[i]),
                                words.first));
  }

 private:
  /// The texts of a column that are not numbers.
  struct Words {
    size_t count = 0;
    std::string first;
  };

  /// Counts a text that is not a number. \throws UserError if the column needs numbers
  void leave_out(size_t i, std::string_view cell) {
    if (needs_numbers(header_[i], builder_.map()))
      place_.refuse(parity::quoted(header_[i]) + " is '" + escape_to_line(cell, 40) + "', expected a number",
                    "correct the log, or leave that column out");
    if (words_[i].count++ == 0)
      words_[i].first = escape_to_line(cell, 40);
  }

  /// Adds a cell. Returns whether it has a number.
  bool add_cell(int64_t step, size_t i, std::string_view cell) {
    const std::optional<double> value = builder_.left_out().number_of(header_[i], cell);
    if (!value) {
      if (!is_blank(cell))
        leave_out(i, cell);
      return false;
    }
    if (!columns_[i])
      columns_[i] = builder_.column(header_[i]);
    if (std::abs(*value) >= largest_exact && is_inexact_integer(cell) && !builder_.is_timing(*columns_[i]))
      place_.refuse(parity::quoted(header_[i]) + " is an integer beyond 2^53", "leave that column out");
    builder_.add(step, *columns_[i], *value);
    return true;
  }

  Names header_;
  size_t step_at_;
  const LineReader& place_;
  Builder& builder_;
  std::vector<std::optional<size_t>> columns_;  ///< of the builder, once a column has a number
  std::vector<bool> other_step_;                ///< columns that name a step too
  std::vector<int64_t> empty_rows_;
  std::map<size_t, Words> words_;  ///< of the columns that have any
};

}  // namespace

bool is_table_header(const std::string& line, const NameMap& map) {
  std::istringstream nothing;
  LineReader lines(nothing, "");
  RecordReader records(lines, separator_of(line));
  return records.split(line) && records.cells().size() > 1 &&
         step_column(names_of(records.cells(), map), map);
}

Log read_table(std::istream& stream, const std::string& file, const NameMap& map) {
  LineReader lines(stream, file);
  std::string first;
  if (!lines.next(first))
    lines.refuse("an empty file", "expected a header line");
  if (first.starts_with("\xEF\xBB\xBF"))  // a byte order mark
    first.erase(0, 3);
  const char separator = separator_of(first);
  Names header = read_header(std::move(first), lines, map);
  const std::optional<size_t> step_at = step_column(header, map);
  if (!step_at)
    lines.refuse("no column is a step number",
                 "name it step, _step, iter, iteration or global_step, or write --map step=NAME");
  const std::string run = strip_export(header, map, lines);
  Builder builder(lines, separator == '\t' ? "TSV" : "CSV", map);
  if (!run.empty())
    builder.note("exported by W&B, run " + parity::quoted(run) +
                 "; its columns __MIN and __MAX are left out");
  TableReader table(std::move(header), *step_at, lines, builder);
  RecordReader records(lines, separator);
  while (records.next())
    if (records.cells().size() > 1 || !records.cells().front().empty())
      table.add(records.cells());
  table.finish();
  Log log = builder.finish();
  fill_empty_cells(log, table.empty_rows());
  return log;
}

}  // namespace parity::logs
