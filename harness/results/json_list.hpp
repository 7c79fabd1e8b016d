// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::results {

/// Returns a JSON list of what `convert` returns of each item.
template <class Item, class ToJson>
Json list_json(const std::vector<Item>& items, ToJson convert) {
  Json list = Json::array();
  for (const Item& item : items)
    list.push_back(convert(item));
  return list;
}

}  // namespace parity::results
