// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "reference/config/run_config.hpp"
#include "reference/cuda/device.hpp"

namespace parity::reference {

/// Where the numbers of a run come from: producer, build, LibTorch, CPU vendor and capability, threads,
/// seeds, and the environment variables that steer arithmetic (those that hold a path are left out).
/// `device` is "cpu", or an object: name, compute capability and memory of the GPU, and the versions of
/// driver, CUDA, cuDNN and NCCL. "fingerprint" is the part that goldens compare. Holds no host name, user
/// name or path.
/// \param mesh      "dp_replicate 2 x tp 2"
/// \param buffers   in which gradients are reduced (Trainer::buffers)
/// \param warnings  of the trainer, kept for the report
Json provenance_of(const RunConfig& config, const Device& device, const std::string& mesh,
                   const std::vector<std::string>& buffers, const std::vector<std::string>& warnings);

}  // namespace parity::reference
