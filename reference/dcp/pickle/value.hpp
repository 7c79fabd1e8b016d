// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parity::reference {

/// Thrown for bytes that are no pickle, or no metadata of a DCP folder. The message is the cause alone.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of a pickle. Nothing that the pickle names is imported or called: a global is its name, and an
/// object is what was called with which arguments.
struct PickleValue {
  enum class Kind { none, boolean, integer, real, text, list, dict, global, object };

  Kind kind = Kind::none;
  int64_t integer = 0;                    ///< of integer and boolean
  std::string text = {};                  ///< of text and bytes; "module.name" of a global
  std::vector<const PickleValue*> items;  ///< of a list, tuple or set
  std::vector<std::pair<const PickleValue*, const PickleValue*>> entries = {};  ///< of a dict
  const PickleValue* callee = nullptr;                                          ///< of an object
  const PickleValue* arguments = nullptr;                                       ///< of an object: a list
  const PickleValue* state = nullptr;  ///< that an object was given after it was made; null = none

  /// Returns the value of a text key of a dict; null without one.
  const PickleValue* find(std::string_view key) const {
    for (const auto& [name, value] : entries)
      if (name->kind == Kind::text && name->text == key)
        return value;
    return nullptr;
  }
};

/// A pickle's values. They live as long as this object, and may refer to each other in circles.
struct Pickle {
  std::deque<PickleValue> values;
  const PickleValue* root = nullptr;
};

}  // namespace parity::reference
