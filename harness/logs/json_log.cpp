// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/json_log.hpp"

#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/builder.hpp"
#include "harness/logs/number.hpp"

namespace parity::logs {
namespace {

constexpr size_t largest_state = 256U << 20U;

/// Returns the text with Python's NaN, Infinity and -Infinity as strings, which JSON allows.
std::string quote_non_finite(const std::string& text) {
  constexpr std::array<std::string_view, 3> words = {"NaN", "-Infinity", "Infinity"};
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!in_string)
      for (const std::string_view word : words)
        if (std::string_view(text).substr(i).starts_with(word)) {
          out += '"' + std::string(word) + '"';
          i += word.size();
          break;
        }
    if (i >= text.size())
      break;
    const char c = text[i];
    out += c;
    if (in_string && c == '\\' && i + 1 < text.size())
      out += text[++i];
    else if (c == '"')
      in_string = !in_string;
  }
  return out;
}

Json parse(const std::string& text) {
  return read_json(text.find('N') == std::string::npos && text.find('I') == std::string::npos
                       ? text
                       : quote_non_finite(text));
}

/// Returns the number that a JSON value is: a number, or one of the words for NaN and infinities.
std::optional<double> number_in(const Json& value) {
  if (value.is_number())
    return value.get<double>();
  if (value.is_null())  // how JSON without NaN writes it
    return std::numeric_limits<double>::quiet_NaN();
  if (!value.is_string())
    return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  const bool word = text.find_first_of("nN") != std::string::npos;  // nan, inf; never a quoted decimal
  return word ? parse_number(text) : std::nullopt;
}

/// Calls add(name, value) for each number of an object; nested names are joined by "/".
template <class Add>
void each_number(const Json& object, const std::string& prefix, const Add& add) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key;
    if (value.is_object())
      each_number(value, name + "/", add);
    else if (number_in(value))
      add(name, value);
  }
}

/// Returns an entry's step; nothing if it has none. \throws UserError for a step that is no whole number
std::optional<int64_t> step_in(const Json& entry, const LineReader& place) {
  std::optional<int64_t> step;
  each_number(entry, "", [&](const std::string& name, const Json& value) {
    if (step || !is_step_name(name))
      return;
    step = step_of(*number_in(value));
    if (!step)
      place.refuse(name + " is " + escape_to_line(value.dump(), 40) + ", expected a whole number from 0 on",
                   "correct the log");
  });
  return step;
}

/// Adds the numbers of an entry. Returns false if it has no step number.
bool add_entry(const Json& entry, const LineReader& place, const NameMap& map, Builder& builder) {
  const std::optional<int64_t> step = step_in(entry, place);
  if (!step)
    return false;
  each_number(entry, "", [&](const std::string& name, const Json& value) {
    if (is_step_name(name))
      return;
    if (value.is_number_integer() && is_inexact_integer(value.dump()) &&
        name_channel(name, map).kind != trace::ChannelKind::timing)
      place.refuse(parity::quoted(name) + " is an integer beyond 2^53", "log it as text, or leave it out");
    builder.add(*step, name, *number_in(value));
  });
  return true;
}

void note_left_out(size_t left_out, size_t entries, const LineReader& place, Builder& builder) {
  if (left_out == entries)
    throw UserError("cannot read " + escape_to_line(place.file()) +
                    " (no entry has a step number); name it step, _step, iter, iteration or global_step");
  if (left_out > 0)
    builder.note(fmt::format("{} of {} entries have no step number and are left out", left_out, entries));
}

}  // namespace

Log read_json_lines(std::istream& stream, const std::string& file, const NameMap& map) {
  LineReader lines(stream, file);
  Builder builder(lines, "JSON lines", map);
  std::string line;
  size_t entries = 0, left_out = 0;
  while (lines.next(line)) {
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    const Json entry = parse(line);
    if (!entry.is_object())
      lines.refuse("no JSON object, or one nested too deeply", "expected one object a line");
    ++entries;
    left_out += add_entry(entry, lines, map, builder) ? 0 : 1;
  }
  note_left_out(left_out, entries, lines, builder);
  return builder.finish();
}

Log read_trainer_state(std::istream& stream, const std::string& file, const NameMap& map) {
  LineReader lines(stream, file);
  Builder builder(lines, "trainer_state.json", map);
  std::string text, line;
  while (lines.next(line)) {
    text += line + "\n";
    if (text.size() > largest_state)
      lines.refuse(fmt::format("the file is larger than {} bytes", largest_state), "give JSON lines");
  }
  const Json state = parse(text);
  if (!state.is_object() || !state.contains("log_history") || !state["log_history"].is_array())
    throw UserError(
        "cannot read " + escape_to_line(file) +
        " (no JSON object with a list log_history, or cut off); give a whole trainer_state.json, or "
        "one JSON object a line");
  size_t left_out = 0;
  for (const Json& entry : state["log_history"])
    left_out += entry.is_object() && add_entry(entry, lines, map, builder) ? 0 : 1;
  note_left_out(left_out, state["log_history"].size(), lines, builder);
  return builder.finish();
}

}  // namespace parity::logs
