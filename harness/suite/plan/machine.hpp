// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/cores.hpp"
#include "harness/base/json.hpp"

namespace parity {

/// What of a CPU decides which bits a run gives: vendor, family, model and the features that libraries choose
/// their kernels by.
struct CpuFacts {
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel"; "unknown" where the system does not say
  std::string family;
  std::string model;
  std::vector<std::string> features;  ///< sorted, of the ones that matter here

  Json to_json() const;
};

/// From the text of /proc/cpuinfo.
CpuFacts parse_cpu_facts(std::string_view cpuinfo);
CpuFacts this_cpu();

/// What of the GPUs decides which bits a run gives, as their driver tells it without being asked for one:
/// {"driver": "NVRM version: ...", "models": ["NVIDIA H100 80GB HBM3"]}; an empty object without a driver.
/// \param folder  the driver's in /proc
Json gpu_facts(const std::filesystem::path& folder = "/proc/driver/nvidia");

}  // namespace parity
