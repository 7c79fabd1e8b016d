// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/launch_table.hpp"

namespace parity::suite {
namespace {

Json value_in(const TomlTable& table, const std::string& key) {
  if (key == "launcher" || key == "local_traces")
    return table.string(key);
  if (key == "shared_folder")
    return table.boolean(key, true);
  if (key == "launcher_options" || key == "hosts")
    return table.strings(key);
  return table.integer(key, 0);
}

}  // namespace

Launch read_launch(const TomlTable& table, const Arm& arm) {
  Launch launch;
  Place last = arm.place;
  for (const std::string& key : launch_keys())
    if (table.has(key)) {
      last = table.place_of(key);
      const Json value = value_in(table, key);
      placed(table, last, [&] {
        set_launch_key(launch, key, value);
        return true;
      });
    }
  placed(table, last, [&] {
    check_launch(launch, arm.is_command());
    return true;
  });
  return launch;
}

}  // namespace parity::suite
