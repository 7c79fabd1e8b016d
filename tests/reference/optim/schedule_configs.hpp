// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Settings of a schedule other than family, warmup and length, by name; the rest keep their defaults.
struct ScheduleSettings {
  int64_t total_steps = 0;
  double decay_ratio = -1;
  DecayShape decay = DecayShape::linear;
  double min_factor = 0;
  double init_factor = 0;
  double num_cycles = 0.5;
  int64_t wsd_steps = 0;
  WsdDecay wsd_decay = WsdDecay::linear;
  WarmupShape warmup = WarmupShape::linear;
  int64_t first_index = 1;
};

inline RunConfig family(ScheduleName name, int64_t warmup_steps, int64_t steps = 10,
                        const ScheduleSettings& settings = {}) {
  RunConfig config;
  config.steps = steps;
  LrConfig& lr = config.lr;
  lr.schedule = name;
  lr.warmup_steps = warmup_steps;
  lr.total_steps = settings.total_steps;
  lr.decay_ratio = settings.decay_ratio;
  lr.decay = settings.decay;
  lr.min_factor = settings.min_factor;
  lr.init_factor = settings.init_factor;
  lr.num_cycles = settings.num_cycles;
  lr.wsd_steps = settings.wsd_steps;
  lr.wsd_decay = settings.wsd_decay;
  lr.warmup = settings.warmup;
  lr.first_index = settings.first_index;
  return config;
}

}  // namespace parity::reference
