// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/provenance.hpp"

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include <cpuid.h>
#include <unistd.h>

#include <ATen/Version.h>
#include <torch/version.h>

#include "reference/comm/device_mesh.hpp"
#include "reference/comm/group.hpp"
#include "reference/cuda/device.hpp"
#include "reference/mkl/branch.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/numerics/exact_twin.hpp"

namespace parity::reference {
namespace {

/// Returns the CPU's twelve-letter vendor, "AuthenticAMD" or "GenuineIntel".
std::string cpu_vendor() {
  unsigned highest = 0;
  std::array<unsigned, 3> letters{};  // in the order EBX, EDX, ECX
  if (__get_cpuid(0, &highest, &letters[0], &letters[2], &letters[1]) == 0)
    return "unknown";
  std::string vendor(12, ' ');
  std::memcpy(vendor.data(), letters.data(), vendor.size());
  return vendor;
}

Json allowed_environment() {
  constexpr std::array<std::string_view, 8> prefixes = {"OMP_",    "MKL_",  "ATEN_", "ONEDNN_",
                                                        "CUBLAS_", "CUDA_", "NCCL_", "TORCH_"};
  Json result = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.find('/', equals) != std::string_view::npos)
      continue;
    for (const std::string_view prefix : prefixes)
      if (text.starts_with(prefix))
        result[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  return result;
}

/// Returns "cpu", or the facts of the device and its libraries.
Json device_facts(const Device& device) {
  if (device.is_cpu())
    return "cpu";
  const DeviceFacts facts = device.plugin->facts(device.index());
  return {{"name", facts.name},
          {"capability", facts.capability},
          {"driver", facts.driver},
          {"cuda", facts.runtime},
          {"cudnn", facts.cudnn},
          {"nccl", facts.nccl},
          {"memory_bytes", facts.memory_bytes}};
}

/// Returns "tp 2", "tp 2 beside generator 2" if other ranks generate, or "tp 2, then cp 2" if another layout
/// resumes from the checkpoint.
std::string describe_mesh(const RunConfig& config, const Trainer& trainer) {
  const std::string own = trainer.mesh().text();
  const std::string resumed = make_mesh(config.resumed_parallel(), trainer.world().size()).text();
  const std::string beside =
      config.rl.generator.ranks > 0 ? " beside generator " + std::to_string(config.rl.generator.ranks) : "";
  return (own == resumed ? own : own + ", then " + resumed) + beside;
}

}  // namespace

Json provenance_of(const RunConfig& config, const Device& device) {
  Json fingerprint = {{"cpu_vendor", cpu_vendor()},
                      {"aten_capability", at::get_cpu_capability()},
                      {"mkl_cbwr", mkl_branch()},
                      {"torch", TORCH_VERSION},
                      {"build_type", PARITY_BUILD_TYPE},
                      {"threads", config.threads},
                      {"device", "cpu"}};
  const Json facts = device_facts(device);
  if (!device.is_cpu())
    fingerprint["device"] = facts;
  return {{"producer", "parity-train " PARITY_VERSION},
          {"build_type", PARITY_BUILD_TYPE},
          {"torch", TORCH_VERSION},
          {"cpu_vendor", fingerprint["cpu_vendor"]},
          {"aten_capability", fingerprint["aten_capability"]},
          {"device", facts},
          {"threads", config.threads},
          {"seed", config.seed},
          {"data_seed", config.data.seed},
          {"environment", allowed_environment()},
          {"fingerprint", fingerprint}};
}

Json provenance_of(const RunConfig& config, const Trainer& trainer) {
  Json provenance = provenance_of(config, trainer.world().device());
  provenance["fingerprint"]["initial_weights"] = trainer.initial_weights();
  provenance["mesh"] = describe_mesh(config, trainer);
  provenance["reduction_buffers"] = trainer.buffers();
  provenance["warnings"] = trainer.warnings();
  if (Json residues = describe_residues(); !residues.is_null())
    provenance["residues"] = std::move(residues);
  return provenance;
}

}  // namespace parity::reference
