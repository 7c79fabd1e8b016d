// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"
#include "reference/config/run_config.hpp"
#include "reference/cuda/device.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {

/// Returns what determines the numbers of a run: producer, build, LibTorch, CPU vendor and capability,
/// threads, seeds, and the environment variables that affect arithmetic. It contains no host name, user name
/// or path.
///
/// "device" is "cpu", or an object: name, compute capability and memory of the GPU, and the versions of
/// driver, CUDA, cuDNN and NCCL. "fingerprint" is the part that goldens compare. It includes a digest of the
/// initial weights, since MKL draws them with different functions on different CPUs.
Json provenance_of(const RunConfig& config, const Trainer& trainer);

/// Returns the same without what only a trainer knows: mesh, initial weights, buffers of reductions and
/// warnings. For ranks that do not train.
Json provenance_of(const RunConfig& config, const Device& device);

}  // namespace parity::reference
