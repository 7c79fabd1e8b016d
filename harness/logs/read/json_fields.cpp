// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/json_fields.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "harness/base/json/json.hpp"
#include "harness/logs/read/number.hpp"

namespace parity::logs {

/// Receives the events of nlohmann's parser. Returning false stops it.
class FieldCollector : public nlohmann::json_sax<Json> {
 public:
  explicit FieldCollector(JsonFields& to) : to_(to) {}

  bool all_numbers() const { return all_numbers_; }

  bool null() override { return add_word(std::numeric_limits<double>::quiet_NaN()); }
  bool boolean(bool /*value*/) override { return add_other(); }
  bool number_integer(number_integer_t value) override {
    return add_number(static_cast<double>(value), std::abs(static_cast<double>(value)) >= largest_exact);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number(static_cast<double>(value), static_cast<double>(value) >= largest_exact);
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return add_number(value, is_inexact_integer(text));
  }
  bool string(string_t& text) override {
    const std::optional<double> value = parse_number(text);
    if (value && !is_inexact_integer(text))
      return add_word(*value);
    if (lists_ > 0)
      return true;
    if (const std::optional<double> percent = value ? std::nullopt : parse_percent(text)) {
      all_numbers_ = false;
      to_.percents_.push_back({name_, text});
      to_.fields_.push_back({name_, *percent, false, true});
    } else {
      to_.texts_.push_back({name_, text});
    }
    return depth_ > 0;
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool key(string_t& name) override {
    if (lists_ == 0)
      name_ = prefix_ + name;
    return true;
  }
  bool start_object(size_t /*count*/) override {
    if (++depth_ > deepest_json)
      return false;
    if (lists_ > 0)
      return true;
    prefix_sizes_.push_back(prefix_.size());
    if (depth_ > 1)
      prefix_ = name_ + "/";
    return true;
  }
  bool end_object() override {
    --depth_;
    if (lists_ == 0) {
      prefix_.resize(prefix_sizes_.back());
      prefix_sizes_.pop_back();
    }
    return true;
  }
  bool start_array(size_t /*count*/) override {
    add_other();
    ++lists_;
    if (depth_ == 0)
      return false;
    ++depth_;
    return depth_ <= deepest_json;
  }
  bool end_array() override {
    --lists_;
    --depth_;
    return true;
  }
  bool parse_error(size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool add(double value, bool inexact) {
    to_.fields_.push_back({name_, value, inexact, false});
    return depth_ > 0;
  }
  /// Notes the name of a list or truth value.
  bool add_other() {
    if (lists_ == 0 && to_.others_.size() < JsonFields::most_others)
      to_.others_.insert(name_);
    return depth_ > 0;
  }
  bool add_number(double value, bool inexact) {
    to_.numbers_.push_back(lists_ == 0 ? to_.fields_.size() : JsonFields::no_field);
    return lists_ == 0 ? add(value, inexact) : true;
  }
  bool add_word(double value) {
    all_numbers_ = false;
    return lists_ == 0 ? add(value, false) : true;
  }

  JsonFields& to_;
  std::string prefix_, name_;
  std::vector<size_t> prefix_sizes_;
  size_t depth_ = 0, lists_ = 0;
  bool all_numbers_ = true;
};

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

bool JsonFields::parse(const std::string& text) {
  const bool words = text.find('N') != std::string::npos || text.find('I') != std::string::npos;
  const std::string quoted = words ? quote_non_finite(text) : "";
  fields_.clear();
  numbers_.clear();
  texts_.clear();
  percents_.clear();
  FieldCollector collector(*this);
  const bool good = Json::sax_parse(words ? quoted : text, &collector);
  if (!good || !collector.all_numbers())
    numbers_.clear();
  return good;
}

}  // namespace parity::logs
