// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// A JSON object with one list that may be long: the list is read an item at a time, so that memory has room
/// for an item and for what stands beside the list, not for the whole.
///
/// The text is gone through once to find where the items lie; each is parsed when it is asked for. Not for
/// several threads.
class JsonItems {
 public:
  /// \param key  of the list, at the top of the object
  /// \throws UserError if brackets nest deeper than deepest_json; Json::exception if what stands beside the
  /// list is no JSON
  JsonItems(std::unique_ptr<std::istream> text, const std::string& key);

  /// The object, with an empty list in place of the long one.
  const Json& rest() const { return rest_; }
  size_t size() const { return spans_.size(); }
  /// \throws Json::exception if the item is no JSON
  Json item(size_t number) const;

 private:
  struct Span {
    std::streamoff begin;
    size_t length;
  };

  std::unique_ptr<std::istream> text_;
  std::vector<Span> spans_;
  Json rest_;
};

}  // namespace parity
