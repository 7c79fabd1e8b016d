// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parity::logs {

/// A number of a JSON object. Nested names are joined by "/".
struct JsonField {
  std::string name;
  double value = 0;
  bool inexact = false;  ///< an integer that float64 does not hold
  bool percent = false;  ///< a text of a percentage
};

/// A text of a JSON object that is not a number.
struct JsonText {
  std::string name, text;
};

/// Returns JSON with Python's NaN, Infinity and -Infinity as strings.
std::string quote_non_finite(const std::string& text);

/// Reads the numbers of JSON objects. null is a number, and so are texts of a decimal, of NaN and
/// infinities, or of a percentage, which counts as the number before its sign. A text of an integer that
/// float64 does not hold stays a text. Values in lists are not numbers.
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
  /// Returns the texts of the last object that are not numbers.
  const std::vector<JsonText>& texts() const { return texts_; }
  /// Returns the texts of the last object that are percentages. They are fields too.
  const std::vector<JsonText>& percents() const { return percents_; }
  /// Returns names of lists and truth values in the objects so far, at most most_others.
  const std::set<std::string>& others() const { return others_; }
  static constexpr size_t most_others = 1000;

 private:
  friend class FieldCollector;
  std::vector<JsonField> fields_;
  std::vector<size_t> numbers_;
  std::vector<JsonText> texts_, percents_;
  std::set<std::string> others_;
};

}  // namespace parity::logs
