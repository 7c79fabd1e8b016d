// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/place.hpp"

#include "harness/suite/runs/running_run.hpp"

namespace parity::suite {

std::unique_ptr<StartedRun> LocalPlace::start(const PlannedRun& run, const RunStore& store) {
  return std::make_unique<RunningRun>(run, store, trainer_);
}

}  // namespace parity::suite
