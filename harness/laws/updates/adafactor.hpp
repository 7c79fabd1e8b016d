// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/laws/run/recorded_run.hpp"
#include "harness/laws/updates/tensor_update.hpp"

namespace parity::laws {

/// Numbers that Adafactor was given. Defaults are those of torch.optim.Adafactor.
struct AdafactorNumbers {
  double beta2_decay = -0.8;
  double eps1 = 0x1p-23;
  double eps2 = 1e-3;
  double d = 1;
  bool adds_eps1 = false;  ///< to the squared gradient, instead of bounding what divides
  bool relative_step = true;
  bool scale_parameter = true;
};

/// Returns the numbers of an update: from channels or the config, else the defaults.
/// \param roundoff  of the parameter, which torch's eps1 follows
AdafactorNumbers adafactor_numbers(const RecordedRun& run, int64_t step, double roundoff);

/// Compares moments and step.
UpdateCheck check_adafactor(const TensorUpdate& data, const OptimizerNumbers& numbers,
                            const AdafactorNumbers& own);

}  // namespace parity::laws
