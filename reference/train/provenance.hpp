// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json.hpp"
#include "reference/config/run_config.hpp"
#include "reference/train/trainer.hpp"

namespace parity::reference {

/// Where the numbers of a run come from: producer, build, LibTorch, CPU vendor and capability, threads,
/// seeds, and the environment variables that steer arithmetic (those that hold a path are left out).
/// `device` is "cpu", or an object: name, compute capability and memory of the GPU, and the versions of
/// driver, CUDA, cuDNN and NCCL. "fingerprint" is the part that goldens compare. Holds no host name, user
/// name or path.
///
/// The fingerprint has a digest of the first weights as well: drawing them calls functions of MKL, which has
/// others for other CPUs.
Json provenance_of(const RunConfig& config, const Trainer& trainer);

}  // namespace parity::reference
