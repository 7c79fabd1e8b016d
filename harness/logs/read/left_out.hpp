// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parity::logs {

/// Names whose values are not plain numbers, each with its first text, for the notes of a log.
class LeftOut {
 public:
  /// Notes a text that is left out. One that says that a value is missing, such as "NA", is ignored.
  void add_text(const std::string& name, std::string_view text);
  /// Notes a percentage, which counts as its number (parse_percent).
  void add_percent(const std::string& name, std::string_view text) { keep(percents_, name, text); }
  /// Returns the number of a text. Notes one that is a percentage. Nothing for other texts.
  std::optional<double> number_of(const std::string& name, std::string_view text);
  /// Returns a sentence for percentages, one for integers that float64 does not hold, and one for other
  /// texts.
  std::vector<std::string> notes() const;

 private:
  using FirstTexts = std::map<std::string, std::string>;  ///< name -> its first text

  static void keep(FirstTexts& to, const std::string& name, std::string_view text);

  FirstTexts percents_, integers_, quantities_, texts_;
};

}  // namespace parity::logs
