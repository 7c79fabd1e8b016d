// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <c10/core/Device.h>

#include "reference/config/run_config.hpp"
#include "reference/cuda/plugin.hpp"

namespace parity::reference {

/// The device that a rank computes on: the CPU, or a device of a plug-in.
struct Device {
  c10::Device place = c10::kCPU;
  const DevicePlugin* plugin = nullptr;  ///< null for the CPU

  bool is_cpu() const { return plugin == nullptr; }
  int index() const { return place.index(); }
  /// Waits for all work begun on the device. Does nothing on the CPU.
  void synchronize() const {
    if (plugin != nullptr)
      plugin->synchronize(index());
  }
};

/// Prepares and returns the device of a rank: rank r of a machine has its device r. Call it before any
/// function of ATen.
/// \param local_rank  among the ranks of this machine
/// \param plugin      the library of devices; opened for device = "cuda" only
/// \throws UserError (exit 3) if this rank has no device, with the cause and a remedy
Device open_device(DeviceChoice choice, int64_t local_rank, const std::filesystem::path& plugin);

}  // namespace parity::reference
