// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/text_log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <regex.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/read/builder.hpp"
#include "harness/logs/read/number.hpp"

namespace parity::logs {
namespace {

#define PARITY_NUMBER "[-+0-9.eEnainfNAINF]+"  // a decimal, nan or inf
constexpr std::array<TextKind, 7> known = {{
    {"nanoGPT",
     "^iter (?<step>[0-9]+): loss (?<loss>" PARITY_NUMBER "), time (?<time_ms>" PARITY_NUMBER ")ms"},
    {"nanoGPT", "^step (?<step>[0-9]+): train loss (?<train_loss_mean>" PARITY_NUMBER
                "), val loss (?<eval_loss>" PARITY_NUMBER ")"},
    {"Megatron", " iteration +(?<step>[0-9]+)/ *[0-9]+ \\|(?<fields>.*)$"},
    {"DeepSpeed", "step=(?<step>[0-9]+), skipped=(?<skipped>[0-9]+), lr=\\[(?<lr>" PARITY_NUMBER ")"},
    {"DeepSpeed", "steps: (?<step>[0-9]+) loss: (?<loss>" PARITY_NUMBER
                  ") iter time \\(s\\): (?<time_ms>" PARITY_NUMBER ")"},
    {"torchtitan", "step: +(?<step>[0-9]+)[^0-9].*loss: +(?<loss>" PARITY_NUMBER
                   ")(.*grad_norm: +(?<grad_norm>" PARITY_NUMBER "))?"},
    {"Hugging Face", "(?<dict>\\{'.*'epoch': [^{}]*\\})"},
}};
#undef PARITY_NUMBER

constexpr size_t longest_text_line = 64U << 10U;

/// An expression without names, and the name of each group; "" for one without a name.
struct Translation {
  std::string text;
  std::vector<std::string> names;
};

/// Reads the opening of a group at `at`, behind "(". Returns its name, and moves `at` behind it.
std::string group_name(const std::string& text, size_t& at) {
  if (!text.substr(at).starts_with("?"))
    return "";
  const size_t open = text.find('<', at);
  const size_t close = text.find('>', at);
  const bool named = open != std::string::npos && close != std::string::npos && open < close &&
                     (open == at + 1 || (open == at + 2 && text[at + 1] == 'P'));
  if (text.substr(at).starts_with("?:")) {
    at += 2;
    return "";
  }
  const std::string name = named ? text.substr(open + 1, close - open - 1) : "";
  if (name.empty() || name.starts_with("=") || name.starts_with("!"))
    throw UserError("cannot use --pattern (a group starts with '(?' and has no name); write (?<name>...)");
  at = close + 1;
  return name;
}

Translation translate(const std::string& text) {
  Translation out;
  bool in_set = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      out.text += next == 'd' ? (in_set ? "0-9" : "[0-9]") : std::string{c, next};
    } else if (c == '(' && !in_set) {
      size_t at = i + 1;
      out.names.push_back(group_name(text, at));
      out.text += '(';
      i = at - 1;
    } else {
      in_set = in_set ? c != ']' || text[i - 1] == '[' : c == '[';
      out.text += c;
    }
  }
  return out;
}

/// Adds the number of a text to a builder, or notes a text that is left out.
void add_number(int64_t step, const std::string& name, const std::string& text, Builder& builder) {
  const std::optional<double> value = builder.left_out().number_of(name, text);
  if (value && !is_inexact_integer(text))
    builder.add(step, name, *value);
  else
    builder.left_out().add_text(name, text);
}

/// Calls add(name, text) for each "name: text" between bars.
template <class Add>
void each_field(const std::string& fields, const Add& add) {
  for (size_t at = 0; at < fields.size();) {
    const size_t bar = std::min(fields.find('|', at), fields.size());
    const std::string field = fields.substr(at, bar - at);
    const size_t colon = field.rfind(':');
    const size_t begin = field.find_first_not_of(' ');
    if (colon != std::string::npos && begin < colon)
      add(field.substr(begin, colon - begin), field.substr(colon + 1));
    at = bar + 1;
  }
}

/// Returns the values of a Python dict such as {'loss': 2.5, 'epoch': '0.1'}, without quotes.
std::vector<std::pair<std::string, std::string>> dict_values(const std::string& dict) {
  std::vector<std::pair<std::string, std::string>> values;
  for (size_t at = dict.find('\''); at != std::string::npos;) {
    const size_t close = dict.find("': ", at + 1);
    if (close == std::string::npos)
      break;
    const size_t next = dict.find(", '", close);
    std::string value = dict.substr(close + 3, std::min(next, dict.size() - 1) - close - 3);
    if (value.size() > 1 && value.front() == '\'' && value.back() == '\'')
      value = value.substr(1, value.size() - 2);
    values.emplace_back(dict.substr(at + 1, close - at - 1), value);
    at = next == std::string::npos ? next : next + 2;
  }
  return values;
}

/// Adds the dicts that Hugging Face's Trainer prints. They have no step: those with a loss are numbered from
/// 1, and others belong to the one before.
class DictReader {
 public:
  void add(const std::string& dict, Builder& builder) {
    const std::vector<std::pair<std::string, std::string>> values = dict_values(dict);
    const auto has = [&](const char* name) {
      return std::ranges::any_of(
          values, [&](const auto& value) { return value.first == name && parse_number(value.second); });
    };
    if (has("train_runtime"))  // a summary of the whole training
      return;
    if (has("loss") && ++entries_ == 1)
      builder.note("its entries have no step: those with a loss are numbered from 1");
    for (const auto& [name, value] : values)
      if (has("loss") || name.starts_with("eval_"))
        add_number(entries_, name, value, builder);
  }

 private:
  int64_t entries_ = 0;
};

/// The expressions that are tried on each line.
std::vector<Pattern> patterns_for(const std::string& pattern) {
  std::vector<Pattern> all;
  if (!pattern.empty()) {
    all.emplace_back(pattern);
    return all;
  }
  for (const TextKind& kind : known)
    all.emplace_back(std::string(kind.pattern));
  return all;
}

/// Adds the values of a line that matched.
void add_line(const std::vector<Pattern::Group>& groups, const LineReader& lines, Builder& builder) {
  std::optional<int64_t> step;
  for (const Pattern::Group& group : groups)
    if (group.name == "step") {
      const std::optional<double> value = parse_number(group.text);
      step = value ? step_of(*value) : std::nullopt;
      if (!step)
        lines.refuse(
            "the step is '" + escape_to_line(group.text, 40) + "', expected a whole number from 0 on",
            "correct the log or the pattern");
    }
  if (!step)
    lines.refuse("the pattern matches without a step", "make the group step match whenever a line does");
  for (const Pattern::Group& group : groups) {
    if (group.name == "step")
      continue;
    if (group.name == "fields") {
      each_field(group.text, [&](const std::string& name, const std::string& text) {
        add_number(*step, name, text, builder);
      });
      continue;
    }
    const std::optional<double> value = parse_number(group.text);
    if (!value || is_inexact_integer(group.text))
      lines.refuse(group.name + " is '" + escape_to_line(group.text, 40) + "', expected a number",
                   "correct the log or the pattern");
    builder.add(*step, group.name, *value);
  }
}

}  // namespace

struct Pattern::Compiled {
  regex_t expression{};
  std::vector<std::string> names;
  bool is_compiled = false;  ///< otherwise there is nothing to free
  ~Compiled() {
    if (is_compiled)
      regfree(&expression);
  }
};

Pattern::Pattern(const std::string& text) {
  Translation translation = translate(text);
  const auto named =
      std::ranges::count_if(translation.names, [](const std::string& n) { return !n.empty(); });
  const auto has = [&](const char* name) {
    return std::ranges::find(translation.names, name) != translation.names.end();
  };
  if (!has("dict") && (named < 2 || !has("step")))
    throw UserError("cannot use --pattern " + parity::quoted(text) +
                    " (it needs a group named step and one more); write --pattern 'step (?<step>[0-9]+) loss "
                    "(?<loss>[0-9.]+)'");
  auto compiled = std::make_unique<Compiled>();
  if (const int error = regcomp(&compiled->expression, translation.text.c_str(), REG_EXTENDED)) {
    std::array<char, 200> why{};
    regerror(error, &compiled->expression, why.data(), why.size());
    throw UserError("cannot use --pattern " + parity::quoted(text) + " (" + why.data() +
                    "); write a POSIX extended regular expression");
  }
  compiled->is_compiled = true;
  compiled->names = std::move(translation.names);
  compiled_ = std::move(compiled);
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&& other) noexcept = default;

std::vector<Pattern::Group> Pattern::search(const std::string& line) const {
  std::vector<regmatch_t> found(compiled_->names.size() + 1);
  std::vector<Group> groups;
  if (regexec(&compiled_->expression, line.c_str(), found.size(), found.data(), 0) != 0)
    return groups;
  for (size_t i = 0; i < compiled_->names.size(); ++i)
    if (const regmatch_t& match = found[i + 1]; !compiled_->names[i].empty() && match.rm_so >= 0)
      groups.push_back({compiled_->names[i], line.substr(static_cast<size_t>(match.rm_so),
                                                         static_cast<size_t>(match.rm_eo - match.rm_so))});
  return groups;
}

std::span<const TextKind> text_kinds() {
  return known;
}

const TextKind* recognise_text(const std::string& line) {
  for (const TextKind& kind : known)
    if (!Pattern(std::string(kind.pattern)).search(line).empty())
      return &kind;
  return nullptr;
}

Log read_text(std::istream& stream, const std::string& file, const std::string& pattern, const NameMap& map) {
  LineReader lines(stream, file);
  const std::vector<Pattern> patterns = patterns_for(pattern);
  Builder builder(lines, "text log", map);
  std::string line;
  int64_t matching = 0;
  size_t usual = 0;  // the expression that matched last
  DictReader dicts;
  std::string format = "text";
  while (lines.next(line)) {
    if (line.size() > longest_text_line)
      lines.refuse(fmt::format("longer than {} bytes, expected a text log", longest_text_line),
                   "give a log with shorter lines");
    for (size_t tried = 0; tried < patterns.size(); ++tried) {
      const size_t i = (usual + tried) % patterns.size();
      const std::vector<Pattern::Group> groups = patterns[i].search(line);
      if (groups.empty())
        continue;
      usual = i;
      if (matching++ == 0)
        format = pattern.empty() ? std::string(known[i].name) + " text" : "text by --pattern";
      if (groups.front().name == "dict")
        dicts.add(groups.front().text, builder);
      else
        add_line(groups, lines, builder);
      break;
    }
  }
  if (matching == 0)
    throw UserError("cannot read " + escape_to_line(file) + " (" +
                    (pattern.empty()
                         ? "none of its lines is of a known kind: JSON object, table with a column step, "
                           "nanoGPT, Megatron, DeepSpeed, torchtitan, Hugging Face"
                         : "no line matches the pattern") +
                    "); write --pattern 'step (?<step>[0-9]+) loss (?<loss>[0-9.]+)'");
  Log log = builder.finish();
  log.format = format;
  if (lines.number() > matching)
    log.notes.push_back(
        fmt::format("{} of {} lines have no values", lines.number() - matching, lines.number()));
  return log;
}

}  // namespace parity::logs
