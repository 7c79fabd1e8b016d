// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/left_out.hpp"

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/read/number.hpp"

namespace parity::logs {
namespace {

constexpr size_t most_names = 1000, longest_text = 40;

/// Returns whether a text begins like a number with a unit, such as "93.1 pts".
bool begins_with_digit(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t+-.$");
  return begin != std::string_view::npos && text[begin] >= '0' && text[begin] <= '9';
}

/// Appends "loss (first '1.5 nats')" for each name.
template <class FirstTexts>
void append_names(const FirstTexts& from, std::vector<std::string>& to) {
  for (const auto& [name, text] : from)
    to.push_back(fmt::format("{} (first '{}')", name, escape_to_line(text, longest_text)));
}

}  // namespace

void LeftOut::keep(FirstTexts& to, const std::string& name, std::string_view text) {
  if (to.size() < most_names)
    to.try_emplace(name, trimmed(text));
}

void LeftOut::add_text(const std::string& name, std::string_view text) {
  if (is_inexact_integer(text))
    keep(integers_, name, text);
  else if (!is_blank(text))
    keep(begins_with_digit(text) ? quantities_ : texts_, name, text);
}

std::optional<double> LeftOut::number_of(const std::string& name, std::string_view text) {
  if (const std::optional<double> value = parse_number(text))
    return value;
  const std::optional<double> percent = parse_percent(text);
  if (percent)
    add_percent(name, text);
  return percent;
}

std::vector<std::string> LeftOut::notes() const {
  std::vector<std::string> notes, percents, integers, texts;
  append_names(percents_, percents);
  append_names(integers_, integers);
  append_names(quantities_, texts);  // first, since they may be results
  append_names(texts_, texts);
  const auto say = [&](const std::string& what, const std::vector<std::string>& names) {
    if (!names.empty())
      notes.push_back(what + escape_to_line(compare::list_text(names), 400));
  };
  say("percentages count as numbers of percent: ", percents);
  say("integers beyond 2^53 are left out: ", integers);
  say("texts are left out: ", texts);
  return notes;
}

}  // namespace parity::logs
