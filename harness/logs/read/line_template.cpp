// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/line_template.hpp"

#include <charconv>
#include <cmath>

#include "harness/logs/read/number.hpp"

namespace parity::logs {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns the position behind the digits at `at`.
size_t skip_digits(std::string_view text, size_t at) {
  while (at < text.size() && is_digit(text[at]))
    ++at;
  return at;
}

bool has(std::string_view text, size_t at, std::string_view any) {
  return at < text.size() && any.find(text[at]) != std::string_view::npos;
}

/// Returns the length of the number that JSON's grammar sees at the start of a text; 0 if there is none.
/// \param integer  receives whether it has neither a fraction nor an exponent
size_t number_length(std::string_view text, bool& integer) {
  const size_t first = has(text, 0, "-") ? 1 : 0;
  size_t at = has(text, first, "0") ? first + 1 : skip_digits(text, first);
  if (at == first)
    return 0;
  integer = true;
  if (has(text, at, ".")) {
    integer = false;
    const size_t digits = at + 1;
    at = skip_digits(text, digits);
    if (at == digits)
      return 0;
  }
  if (has(text, at, "eE")) {
    integer = false;
    const size_t digits = at + (has(text, at + 1, "+-") ? 2 : 1);
    at = skip_digits(text, digits);
    if (at == digits)
      return 0;
  }
  return at;
}

/// Reads the number at the start of a text. Returns its length; 0 if the JSON parser has to decide.
size_t read_number(std::string_view text, double& value) {
  bool integer = false;
  const size_t length = number_length(text, integer);
  const char* const begin = text.begin();
  if (length == 0 || std::from_chars(begin, begin + length, value).ec != std::errc())
    return 0;
  const bool plain = !integer || (std::abs(value) < largest_exact && !(value == 0 && text[0] == '-'));
  return plain ? length : 0;
}

}  // namespace

void LineTemplate::learn(std::string_view line, size_t count) {
  texts_.assign(1, "");
  bool in_string = false;
  for (size_t i = 0; i < line.size();) {
    bool integer = false;
    if (const size_t length = in_string ? 0 : number_length(line.substr(i), integer)) {
      texts_.emplace_back();
      i += length;
      continue;
    }
    const size_t taken = in_string && line[i] == '\\' ? 2 : 1;
    in_string = in_string != (line[i] == '"');
    texts_.back() += line.substr(i, taken);
    i += taken;
  }
  if (texts_.size() != count + 1)
    texts_.clear();
}

bool LineTemplate::match(std::string_view line, std::vector<double>& numbers) const {
  if (texts_.empty() || !line.starts_with(texts_.front()))
    return false;
  numbers.clear();
  line.remove_prefix(texts_.front().size());
  for (size_t i = 1; i < texts_.size(); ++i) {
    double value = 0;
    const size_t length = read_number(line, value);
    if (length == 0 || !line.substr(length).starts_with(texts_[i]))
      return false;
    numbers.push_back(value);
    line.remove_prefix(length + texts_[i].size());
  }
  return line.empty();
}

}  // namespace parity::logs
