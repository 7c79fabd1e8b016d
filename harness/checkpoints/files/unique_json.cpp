// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/unique_json.hpp"

#include <optional>
#include <set>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {

Json read_unique_json(std::string_view text, const std::string& file) {
  std::vector<std::set<std::string>> open;  // keys of the objects that the parser is in
  std::optional<std::string> twice;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (opens_too_deep(depth, event))
      throw UserError(file + " is too deep (its brackets nest more than " + std::to_string(deepest_json) +
                      " levels); write or fetch it again");
    if (event == Json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      open.pop_back();
    else if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      twice = twice ? twice : parsed.get<std::string>();
    return true;
  };
  Json json = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw UserError(file +
                    " has text that is not JSON (it was damaged or cut short); write or fetch it again");
  if (twice)
    throw UserError(file + " has " + parity::quoted(*twice) +
                    " twice (readers differ in which of the two they use); write it again with each once");
  return json;
}

}  // namespace parity::checkpoints
