// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "reference/train/step/trainer_state.hpp"

namespace parity::reference {

/// Tells the model's mixtures of experts how their losses count in the update, and whose routes they replay.
/// \throws UserError if moe.replay names no trace
void prepare_routers(TrainerState& state);

/// The routes of one micro-batch are replayed, if the run replays any, as long as this object exists.
class ReplayedMicroBatch {
 public:
  /// \param micro_batch  of the update, counted from 0. \throws UserError as RouteReplay::begin
  ReplayedMicroBatch(TrainerState& state, int64_t micro_batch);
  ~ReplayedMicroBatch();
  ReplayedMicroBatch(const ReplayedMicroBatch&) = delete;
  ReplayedMicroBatch& operator=(const ReplayedMicroBatch&) = delete;

 private:
  TrainerState& state_;
};

}  // namespace parity::reference
