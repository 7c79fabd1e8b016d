// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/history.hpp"

#include <algorithm>

namespace parity::golden {
namespace {

constexpr size_t most_changes = 100;
constexpr size_t most_bytes = 500;

/// Returns at most most_bytes bytes of a text, without a partial UTF-8 character at the end.
std::string cut(std::string text) {
  if (text.size() <= most_bytes)
    return text;
  size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  text.resize(end);
  return text;
}

}  // namespace

Json history_json(const GoldenHistory& history) {
  Json list = Json::array();
  const size_t first = history.size() - std::min(history.size(), most_changes);
  for (size_t i = first; i < history.size(); ++i)
    list.push_back({{"reason", cut(history[i].reason)},
                    {"commit", cut(history[i].commit)},
                    {"content", cut(history[i].content)}});
  return list;
}

std::optional<GoldenHistory> read_history(const Json& json) {
  if (!json.is_array())
    return std::nullopt;
  GoldenHistory history;
  for (const Json& entry : json) {
    if (!entry.is_object())
      return std::nullopt;
    GoldenChange change;
    for (const auto& [field, name] :
         {std::pair{&change.reason, "reason"}, std::pair{&change.commit, "commit"},
          std::pair{&change.content, "content"}}) {
      if (!entry.contains(name) || !entry.at(name).is_string())
        return std::nullopt;
      *field = entry.at(name).get<std::string>();
    }
    history.push_back(std::move(change));
  }
  return history;
}

}  // namespace parity::golden
