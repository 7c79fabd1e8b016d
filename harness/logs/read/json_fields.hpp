// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity::logs {

/// A number of a JSON object. Nested names are joined by "/".
struct JsonField {
  std::string name;
  double value = 0;
  bool inexact = false;  ///< an integer that float64 does not hold
};

/// Returns JSON with Python's NaN, Infinity and -Infinity as strings.
std::string quote_non_finite(const std::string& text);

/// Reads the numbers of JSON objects. null and the words for NaN and infinities are numbers; values in lists
/// are not.
class JsonFields {
 public:
  /// Marks a number of the text that is not a field, such as one in a list.
  static constexpr size_t no_field = static_cast<size_t>(-1);

  /// Reads an object. Python's NaN and Infinity are accepted. Returns false if the text is no JSON object or
  /// nested deeper than deepest_json.
  bool parse(const std::string& text);
  /// Returns the fields that the last text has, in its order.
  const std::vector<JsonField>& fields() const { return fields_; }
  /// Returns the field of each number in the text, in its order; empty if a field is a word or null.
  const std::vector<size_t>& numbers() const { return numbers_; }

 private:
  std::vector<JsonField> fields_;
  std::vector<size_t> numbers_;
};

}  // namespace parity::logs
