// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/optim/schedules/schedule.hpp"

namespace parity::reference {

/// torchtitan's warmup, stable, decay, with T steps, W of warmup and D of decay, S = T + 1 - W - D stable:
///
///   c < W: (c + 1) / W;   c < W + S: 1;   else m + (1 - m) g(p), p = (c + 1 - W - S) / D
///
/// g: 1 - p (linear), 1 - sqrt(p), (1 + cos(pi p)) / 2. The stable part has one step more than fits, so the
/// lowest factor m is reached one update after the last. W > T and W + D > T are cut to fit, with a warning.
/// Source: NUMERICS.md 1.1.
Schedule titan_schedule(const LrConfig& lr, int64_t total_steps);

/// c < W: (c + first_index) / W; else 1. first_index 1 counts like torchtitan; 0 like Hugging Face, whose
/// first update has lr 0. Source: NUMERICS.md 1.3 (verl's constant schedule is first_index 0).
Schedule warmup_linear_schedule(const LrConfig& lr, int64_t total_steps);

/// c < W: c / max(1, W); else max(0, (T - c) / max(1, T - W)). Source: NUMERICS.md 1.3.
Schedule hugging_face_linear_schedule(const LrConfig& lr, int64_t total_steps);

}  // namespace parity::reference
