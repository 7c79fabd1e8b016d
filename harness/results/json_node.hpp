// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"

namespace parity::results {

/// A JSON value that knows its place in the file, so that each message can name it.
class JsonNode {
 public:
  static constexpr const char* of_results =
      "compare the file with harness/results/RESULTS.md, or run the suite again";

  /// \param advice  what to do if the file is not as expected
  JsonNode(const Json& json, std::string path, const char* advice = of_results)
      : json_(&json), path_(std::move(path)), advice_(advice) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }

  /// Returns a required member. \throws UserError if it is missing or null
  JsonNode at(const std::string& name) const {
    auto found = find(name);
    if (!found)
      fail(join(name) + " is missing (a report needs it)");
    return *found;
  }

  /// Returns a member; nothing if it is missing or null.
  std::optional<JsonNode> find(const std::string& name) const {
    expect(json_->is_object(), "an object");
    const auto found = json_->find(name);
    if (found == json_->end() || found->is_null())
      return std::nullopt;
    return JsonNode(*found, join(name), advice_);
  }

  std::vector<JsonNode> items() const {
    expect(json_->is_array(), "a list");
    std::vector<JsonNode> result;
    for (size_t i = 0; i < json_->size(); ++i)
      result.emplace_back((*json_)[i], path_ + "[" + std::to_string(i) + "]", advice_);
    return result;
  }

  std::string text() const {
    expect(json_->is_string(), "a string");
    return json_->get<std::string>();
  }

  bool flag() const {
    expect(json_->is_boolean(), "true or false");
    return json_->get<bool>();
  }

  int64_t integer() const {
    expect(json_->is_number_integer(), "an integer");
    return json_->get<int64_t>();
  }

  /// Returns a number, or "nan", "inf", "-inf".
  double number() const {
    if (json_->is_number())
      return json_->get<double>();
    const std::string name = json_->is_string() ? json_->get<std::string>() : "";
    if (name == "nan")
      return std::numeric_limits<double>::quiet_NaN();
    expect(name == "inf" || name == "-inf", "a number, \"nan\", \"inf\" or \"-inf\"");
    return name == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }

  /// Returns an object whose members are numbers, strings or booleans (null members are dropped).
  Json scalars() const {
    expect(json_->is_object(), "an object of scalars");
    Json result = Json::object();
    for (const auto& [name, value] : json_->items()) {
      JsonNode(value, join(name), advice_).expect(value.is_primitive(), "a number, string or boolean");
      if (!value.is_null())
        result[name] = value;
    }
    return result;
  }

  const Json& object() const {
    expect(json_->is_object(), "an object");
    return *json_;
  }

  void expect(bool condition, const std::string& wanted) const {
    if (!condition)
      fail((path_.empty() ? "the file" : path_) + " is not " + wanted);
  }

  [[noreturn]] void fail(const std::string& problem) const { throw UserError(problem + "; " + advice_); }

 private:
  std::string join(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

  const Json* json_;
  std::string path_;
  const char* advice_;
};

}  // namespace parity::results
