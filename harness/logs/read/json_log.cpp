// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/json_log.hpp"

#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/items.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/read/builder.hpp"
#include "harness/logs/read/json_fields.hpp"
#include "harness/logs/read/line_template.hpp"
#include "harness/logs/read/number.hpp"

namespace parity::logs {
namespace {

constexpr size_t largest_document = 256U << 20U;

/// Adds the entries of a log to a builder.
class EntryReader {
 public:
  EntryReader(const LineReader& place, Builder& builder) : place_(place), builder_(builder) {}

  /// Adds the numbers of an entry. \throws UserError if it is no JSON object, or its step no whole number
  void add(const std::string& text) {
    ++entries_;
    if (template_.match(text, values_)) {
      add_values();
      return;
    }
    if (!fields_.parse(text) && text.starts_with('{') && !text.ends_with('}'))
      place_.refuse("an object that does not end, as a writer leaves it that was killed",
                    "remove that line to compare the lines before it");
    if (!fields_.parse(text))
      place_.refuse("no JSON object, or one nested too deeply", "expected one object an entry");
    choose_columns();
    values_.clear();
    for (const JsonField& field : fields_.fields())
      values_.push_back(field.value);
    add_values();
    learn(text);
  }

  /// Notes what was left out. \throws UserError if no entry has a step number
  void finish() {
    if (left_out_ == entries_)
      throw UserError(
          "cannot read " + escape_to_line(place_.file()) +
          " (no entry has a step number); name it step, _step, iter, iteration or global_step, or "
          "write --map step=NAME");
    if (left_out_ > 0)
      builder_.note(
          fmt::format("{} of {} entries have no step number and are left out", left_out_, entries_));
    if (const std::set<std::string>& others = fields_.others(); !others.empty())
      builder_.note("lists and truth values are left out: " +
                    escape_to_line(compare::list_text({others.begin(), others.end()}), 400));
    if (!other_steps_.empty())
      builder_.note(
          fmt::format("{} {} left out, since {} is the step number",
                      escape_to_line(compare::list_text({other_steps_.begin(), other_steps_.end()})),
                      other_steps_.size() == 1 ? "is" : "are", parity::quoted(step_name_)));
  }

 private:
  static constexpr size_t no_column = static_cast<size_t>(-1);

  /// Sets step_at_ and columns_ for the fields of an entry.
  void choose_columns() {
    const std::vector<JsonField>& fields = fields_.fields();
    columns_.assign(fields.size(), no_column);
    step_at_.reset();
    for (size_t i = 0; i < fields.size(); ++i)
      if (const auto rank = step_rank(fields[i].name, builder_.map()); rank && !fields[i].percent)
        if (!step_at_ || *rank <= *step_rank(fields[*step_at_].name, builder_.map()))
          step_at_ = i;
    if (!step_at_)
      return;
    take_texts();
    step_name_ = fields[*step_at_].name;
    builder_.count_by(step_name_);
    for (size_t i = 0; i < fields.size(); ++i)
      if (!step_rank(fields[i].name, builder_.map()))
        columns_[i] = column_of(fields[i]);
      else if (fields[i].name != step_name_)
        other_steps_.insert(fields[i].name);
  }

  /// Notes the texts of an entry. \throws UserError for one where a number is needed
  void take_texts() {
    for (const JsonText& field : fields_.percents())
      builder_.left_out().add_percent(field.name, field.text);
    for (const JsonText& field : fields_.texts()) {
      if (needs_numbers(field.name, builder_.map()) && !is_blank(field.text))
        place_.refuse(is_inexact_integer(field.text)
                          ? parity::quoted(field.name) + " is an integer beyond 2^53"
                          : parity::quoted(field.name) + " is '" + escape_to_line(field.text, 40) +
                                "', expected a number",
                      "correct the log, or leave it out");
      builder_.left_out().add_text(field.name, field.text);
    }
  }

  size_t column_of(const JsonField& field) {
    const size_t column = builder_.column(field.name);
    if (field.inexact && !builder_.is_timing(column))
      place_.refuse(parity::quoted(field.name) + " is an integer beyond 2^53",
                    "log it as text, or leave it out");
    return column;
  }

  void add_values() {
    if (!step_at_) {
      ++left_out_;
      return;
    }
    const std::optional<int64_t> step = step_of(values_[*step_at_]);
    if (!step)
      place_.refuse(
          fmt::format("{} is {}, expected a whole number from 0 on", step_name_, values_[*step_at_]),
          "correct the log");
    for (size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] != no_column)
        builder_.add(*step, columns_[i], values_[i]);
  }

  /// Prepares the template for the next line. Its columns are those of all numbers, in lists too.
  void learn(const std::string& text) {
    const std::vector<size_t>& numbers = fields_.numbers();
    if (numbers.empty()) {
      template_.clear();
      return;
    }
    template_.learn(text, numbers.size());
    std::vector<size_t> columns;
    std::optional<size_t> step_at;
    for (size_t i = 0; i < numbers.size(); ++i) {
      columns.push_back(numbers[i] == JsonFields::no_field ? no_column : columns_[numbers[i]]);
      if (step_at_ && numbers[i] == *step_at_)
        step_at = i;
    }
    columns_ = std::move(columns);
    step_at_ = step_at;
  }

  const LineReader& place_;
  Builder& builder_;
  JsonFields fields_;
  LineTemplate template_;
  std::vector<double> values_;
  std::vector<size_t> columns_;    ///< of each value; no_column: not added
  std::optional<size_t> step_at_;  ///< the value that is the step number
  std::string step_name_;
  std::set<std::string> other_steps_;
  size_t entries_ = 0, left_out_ = 0;
};

/// A JSON document whose entries are in one list.
struct DocumentKind {
  std::string list;  ///< name of the list; "": the document is the list
  std::string format, problem, hint;
};

/// Reads the text of a document. \throws UserError if it is too long
std::string read_document(LineReader& lines) {
  std::string text, line;
  while (lines.next(line)) {
    text += line + "\n";
    if (text.size() > largest_document)
      lines.refuse(fmt::format("the file is larger than {} bytes", largest_document), "give JSON lines");
  }
  if (text.starts_with("\xEF\xBB\xBF"))  // a byte order mark
    text.erase(0, 3);
  return quote_non_finite(text);
}

/// Returns whether a document has a list of this name.
bool has_list(const Json& document, const std::string& name) {
  return name.empty() ? document.is_array()
                      : document.is_object() && document.contains(name) && document[name].is_array();
}

/// Returns the entries of a document. Their numbers keep the digits that the file has.
JsonItems items_of(const std::string& text, const std::string& file, const DocumentKind& kind) {
  const auto refusal = [&](const std::string& problem) {
    return UserError(fmt::format("cannot read {} ({}); {}", escape_to_line(file), problem, kind.hint));
  };
  std::optional<JsonItems> items;
  try {
    items.emplace(std::make_unique<std::istringstream>(text), kind.list);
  } catch (const UserError& error) {
    throw refusal(error.what());
  } catch (const Json::exception&) {
    throw refusal(kind.problem);
  }
  if (!has_list(items->rest(), kind.list))
    throw refusal(kind.problem);
  return std::move(*items);
}

Log read_entries(std::istream& stream, const std::string& file, const NameMap& map,
                 const DocumentKind& kind) {
  LineReader lines(stream, file, largest_document);
  const JsonItems items = items_of(read_document(lines), file, kind);
  Builder builder(lines, kind.format, map);
  EntryReader entries(lines, builder);
  for (size_t i = 0; i < items.size(); ++i) {
    lines.name_place(fmt::format("entry {}", i + 1));
    entries.add(items.text(i));
  }
  entries.finish();
  return builder.finish();
}

}  // namespace

Log read_json_lines(std::istream& stream, const std::string& file, const NameMap& map) {
  LineReader lines(stream, file);
  Builder builder(lines, "JSON lines", map);
  EntryReader entries(lines, builder);
  std::string line;
  while (lines.next(line))
    if (line.find_first_not_of(" \t") != std::string::npos)
      entries.add(line);
  entries.finish();
  return builder.finish();
}

Log read_json_list(std::istream& stream, const std::string& file, const NameMap& map) {
  return read_entries(stream, file, map,
                      {"", "JSON list", "no JSON list of objects, or cut off",
                       "give a list of one object an entry, or one JSON object a line"});
}

Log read_trainer_state(std::istream& stream, const std::string& file, const NameMap& map) {
  return read_entries(
      stream, file, map,
      {"log_history", "trainer_state.json", "no JSON object with a list log_history, or cut off",
       "give a whole trainer_state.json, or one JSON object a line"});
}

}  // namespace parity::logs
