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
namespace {

/// Receives the events of nlohmann's parser. Returning false stops it.
class FieldCollector : public nlohmann::json_sax<Json> {
 public:
  FieldCollector(std::vector<JsonField>& fields, std::vector<size_t>& numbers)
      : fields_(fields), numbers_(numbers) {}

  bool all_numbers() const { return all_numbers_; }

  bool null() override { return add_word(std::numeric_limits<double>::quiet_NaN()); }
  bool boolean(bool /*value*/) override { return depth_ > 0; }
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
    const bool word = text.find_first_of("nN") != std::string::npos;  // nan, inf; never a quoted decimal
    const std::optional<double> value = word ? parse_number(text) : std::nullopt;
    return value ? add_word(*value) : depth_ > 0;
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
    fields_.push_back({name_, value, inexact});
    return depth_ > 0;
  }
  bool add_number(double value, bool inexact) {
    numbers_.push_back(lists_ == 0 ? fields_.size() : JsonFields::no_field);
    return lists_ == 0 ? add(value, inexact) : true;
  }
  bool add_word(double value) {
    all_numbers_ = false;
    return lists_ == 0 ? add(value, false) : true;
  }

  std::vector<JsonField>& fields_;
  std::vector<size_t>& numbers_;
  std::string prefix_, name_;
  std::vector<size_t> prefix_sizes_;
  size_t depth_ = 0, lists_ = 0;
  bool all_numbers_ = true;
};

}  // namespace

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
  FieldCollector collector(fields_, numbers_);
  const bool good = Json::sax_parse(words ? quoted : text, &collector);
  if (!good || !collector.all_numbers())
    numbers_.clear();
  return good;
}

}  // namespace parity::logs
