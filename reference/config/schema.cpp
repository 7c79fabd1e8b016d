// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/schema.hpp"

#include "reference/config/channels.hpp"
#include "reference/config/keys.hpp"

namespace parity::reference {

Json config_schema() {
  const RunConfig defaults;
  Json rows = Json::object();
  for (const Key& row : keys()) {
    Json entry = {{"type", std::string(name_of(row.type))},
                  {"default", row.get(defaults)},
                  {"numeric", row.numeric},
                  {"doc", row.doc}};
    if (!row.values.empty()) {
      Json values = Json::array();
      for (const std::string& value : row.values)
        values.push_back(row.type == KeyType::integer ? Json(std::stoll(value)) : Json(value));
      entry["values"] = values;
    }
    rows[row.name] = entry;
  }
  Json names = Json::array();
  for (const ChannelRow& row : channels())
    names.push_back(row.name);
  return {{"schema", "parity.config/1"},
          {"keys", rows},
          {"channels", names},
          {"mesh", mesh_keys()},
          {"ranks_beside_mesh", {"rl.generator.ranks"}}};
}

}  // namespace parity::reference
