// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/complaints.hpp"

#include <functional>
#include <string_view>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::reference {
namespace {

constexpr size_t most_named = 6;

/// Adds "2 ALL: ITEM, ITEM" if there are items.
void append_list(std::string& text, const std::vector<std::string>& items, std::string_view one,
                 std::string_view many, const std::function<std::string(const std::string&)>& item) {
  if (items.empty())
    return;
  text += (text.empty() ? "" : "; ") + std::to_string(items.size()) + " ";
  text += items.size() == 1 ? one : many;
  for (size_t i = 0; i < items.size() && i < most_named; ++i)
    text += (i == 0 ? ": " : ", ") + item(items[i]);
  if (items.size() > most_named)
    text += " and " + std::to_string(items.size() - most_named) + " more";
}

}  // namespace

std::string Complaints::text(const std::vector<std::string>& known) const {
  const auto name = [](const std::string& item) { return parity::quoted(item); };
  const auto sentence = [](const std::string& item) { return item; };
  const auto with_nearest = [&](const std::string& item) {
    // A missing name is more likely meant than a name that the file has.
    std::string near = nearest(item, missing);
    near = near.empty() ? nearest(item, known) : near;
    return parity::quoted(item) + (near.empty() ? "" : " (did you mean " + parity::quoted(near) + "?)");
  };
  std::string result;
  append_list(result, missing, "name is missing", "names are missing", name);
  append_list(result, extra, "name matches no weight", "names match no weight", with_nearest);
  append_list(result, shapes, "tensor has another shape", "tensors have other shapes", sentence);
  append_list(result, unusable, "tensor cannot be used", "tensors cannot be used", sentence);
  return result;
}

}  // namespace parity::reference
