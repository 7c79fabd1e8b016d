// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/setting.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/suite/cases/read/arm_settings.hpp"
#include "harness/suite/cases/read/drop_checks.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {
namespace {

Json value_of(const std::string& text) {
  if (text.find('\n') != std::string::npos)
    return text;  // a line break could add another key
  try {
    const toml::table parsed = toml::parse("value = " + text);
    const Overrides flat = flatten(TomlTable(parsed, "--set", "value"));
    return flat.size() == 1 && flat.contains("value") ? flat.at("value").value : Json(text);
  } catch (const toml::parse_error&) {
    return text;
  } catch (const UserError&) {  // a date
    return text;
  }
}

void require_known_arm(const Setting& setting, const std::vector<Case>& cases) {
  std::set<std::string> names;
  for (const Case& item : cases)
    for (const Arm& arm : item.arms)
      names.insert(arm.name);
  if (!setting.arm.empty() && !names.contains(setting.arm))
    throw UserError(fmt::format("cannot apply --set {}: no case here has an arm '{}'{}", setting.text,
                                setting.arm, suggestion(setting.arm, {names.begin(), names.end()})));
}

}  // namespace

Setting parse_setting(const std::string& text) {
  const size_t equals = text.find('=');
  std::string key = text.substr(0, equals);
  Setting setting{text, "", "", nullptr};
  if (const size_t colon = key.find(':'); colon != std::string::npos) {
    setting.arm = key.substr(0, colon);
    key = key.substr(colon + 1);
  }
  if (equals == std::string::npos || key.empty() || (text.find(':') == 0))
    throw UserError(
        fmt::format("invalid --set '{}' (expected [ARM:]KEY=VALUE); for example --set lr.base=1e-3", text));
  setting.key = key;
  setting.value = value_of(text.substr(equals + 1));
  return setting;
}

void apply_settings(std::vector<Case>& cases, const std::vector<std::string>& settings) {
  for (const std::string& text : settings) {
    const Setting setting = parse_setting(text);
    require_known_arm(setting, cases);
    const PlacedValue value{setting.value, Place{"--set " + text, 0, 0}};
    for (Case& item : cases) {
      bool applies = false;
      for (Arm& arm : item.arms)
        if (setting.arm.empty() || arm.name == setting.arm) {
          set_key(arm, setting.key, value);
          applies = true;
        }
      if (!applies)
        continue;
      item.settings.push_back(text);
      item.golden.arms.clear();
      drop_checks(item, compare::Against::golden);
    }
  }
}

}  // namespace parity::suite
