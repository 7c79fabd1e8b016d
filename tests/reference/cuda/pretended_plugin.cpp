// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// A plug-in whose number of devices and version the environment sets.
#include <cstdlib>

#include "reference/cuda/plugin.hpp"

namespace parity::reference {
namespace {

int number(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : fallback;
}

int count(std::string& why) {
  const int devices = number("PRETENDED_DEVICES", 0);
  if (devices == 0)
    why = "they are made up";
  return devices;
}

void use(int device) {
  ::setenv("PRETENDED_USED", std::to_string(device).c_str(), 1);
}

}  // namespace
}  // namespace parity::reference

extern "C" const parity::reference::DevicePlugin* parity_device_plugin() {
  using parity::reference::DevicePlugin;
  static DevicePlugin plugin{};
  plugin.version = static_cast<uint32_t>(
      parity::reference::number("PRETENDED_VERSION", static_cast<int>(DevicePlugin::current_version)));
  plugin.count = parity::reference::count;
  plugin.use = parity::reference::use;
  return &plugin;
}
