// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity {

/// A long list of JSON, or an object with one, whose items are read one at a time. Memory holds one item and
/// the rest of the object, never the whole list.
///
/// The constructor scans the text once for the positions of the items; each is parsed on request. Not
/// thread-safe.
class JsonItems {
 public:
  /// Scans the text.
  /// \param key  name of the list, a member of the top-level object; "": the text is the list
  /// \throws UserError if brackets nest deeper than deepest_json; Json::exception if the rest of the object
  ///         is not valid JSON
  JsonItems(std::unique_ptr<std::istream> text, const std::string& key);

  /// Returns the object, or the list, with an empty list in place of the long one.
  const Json& rest() const { return rest_; }
  size_t size() const { return spans_.size(); }
  /// Parses an item. \throws Json::exception if it is not valid JSON
  Json item(size_t number) const;
  /// Parses an item without the members of these names that are in objects of a list of the
  /// item: `{"list": [{"member": ...}]}`.
  /// \throws Json::exception if it is not valid JSON
  Json item_without(size_t number, const std::set<std::string, std::less<>>& members) const;
  /// Returns the text of an item, which may be no JSON. Numbers are as the file has them.
  std::string text(size_t number) const;

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
