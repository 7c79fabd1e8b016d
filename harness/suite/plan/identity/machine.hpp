// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/base/processes/cores.hpp"

namespace parity::suite {

/// The properties of a CPU that decide the bits of a run: vendor, family, model, and the features by which
/// libraries choose their kernels.
struct CpuFacts {
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel"; "unknown" if the system does not state it
  std::string family;
  std::string model;
  std::vector<std::string> features;  ///< those by which libraries choose kernels, sorted

  Json to_json() const;
};

/// Returns the facts in the text of /proc/cpuinfo.
CpuFacts parse_cpu_facts(std::string_view cpuinfo);
CpuFacts this_cpu();

/// Returns the properties of the GPUs that decide the bits of a run: {"driver": "NVRM version: ...",
/// "models": ["NVIDIA H100 80GB HBM3"]}; an empty object without a driver. Reads files only and opens no GPU.
/// \param folder  of the driver, in /proc
/// \param paravirtual  the device through which a guest of Windows reaches the host's driver
Json gpu_facts(const std::filesystem::path& folder = "/proc/driver/nvidia",
               const std::filesystem::path& paravirtual = "/dev/dxg");

/// The machine on which runs execute, as far as it belongs to their identity.
struct Machine {
  Json cpu = Json::object();   ///< from this_cpu()
  Json gpus = Json::object();  ///< from gpu_facts()
  /// What a scheduler's site does to each run, such as loading modules; null on this machine.
  Json site = nullptr;
};

Machine this_machine();

/// Returns in what a machine differs from the one in a run's identity: "has the CPU ..."; "" if it does not.
std::string machine_difference(const Json& identity, const Machine& here);

}  // namespace parity::suite
