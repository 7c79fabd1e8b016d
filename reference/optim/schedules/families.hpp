// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/optim/schedules/schedule.hpp"

// Symbols: c update index from 0, T length of the curve, W warmup steps, m lr.min_factor, i lr.init_factor,
// all of the config. A family that multiplies lr.base gives its factor.

namespace parity::reference {

/// Returns torchtitan's schedule: warmup, stable phase and decay. It has D steps of decay and
/// S = T + 1 - W - D stable steps:
///
///   c < W: (c + 1) / W;   c < W + S: 1;   else m + (1 - m) g(p), p = (c + 1 - W - S) / D
///
/// g: 1 - p (linear), 1 - sqrt(p), (1 + cos(pi p)) / 2. The stable phase has one step more than fits, so the
/// lowest factor m is reached one update after the last. W > T and W + D > T are cut to fit, with a warning.
/// After warmup the linear decay equals Hugging Face's: bit for bit if its length is a power of two, else
/// within one rounding of lr.base. Source: NUMERICS.md 1.1.
Schedule titan_schedule(const RunConfig& config);

/// Returns c < W: (c + first_index) / W; else 1. first_index 1 counts like torchtitan; 0 like Hugging Face,
/// whose first update has lr 0. Source: NUMERICS.md 1.3.
Schedule warmup_linear_schedule(const RunConfig& config);

/// Returns c < W: c / max(1, W); else max(0, (T - c) / max(1, T - W)). Source: NUMERICS.md 1.3.
Schedule hugging_face_linear_schedule(const RunConfig& config);

/// Returns c < W: c / max(1, W); else max(0, (1 + cos(2 pi n p)) / 2). p = (c - W) / max(1, T - W), n =
/// lr.num_cycles. torchtune's schedule is the same. Source: NUMERICS.md 1.3.
Schedule hugging_face_cosine_schedule(const RunConfig& config);

/// Returns c < W: i + (1 - i) c / max(1, W); else max(m, (1 - m) / 2 cos(2 pi n p) + (1 + m) / 2). p and n
/// are those of hugging_face_cosine_schedule. Beyond T it rises again. Source: NUMERICS.md 1.3.
Schedule verl_cosine_schedule(const RunConfig& config);

/// Returns c < W: c / max(1, W); else 1. It has no initial factor, so the first update of a warmup always has
/// lr 0.
/// Source: NUMERICS.md 1.3.
Schedule verl_constant_schedule(const RunConfig& config);

/// Returns Megatron-LM's OptimizerParamScheduler. Its rates are absolute: max = lr.base, min = m max,
/// init = i max. It counts samples, so n, W, T and the final decay are updates times data.global_batch:
///
///   W > 0, n <= W: init + (max - init) n / W;   constant: max;   n > T: min
///   inverse_square_root: max(min, max sqrt(max(W, 1)) / sqrt(max(n, 1))), so without warmup the rates fall
///        by the number of samples, not of updates
///   else min + g (max - min), r = (n - W) / (T - W):  linear 1 - r, cosine (cos(pi r) + 1) / 2,
///   wsd: 1 up to T - wsd_steps, then by q = (n - T + wsd_steps) / wsd_steps: linear 1 - q,
///        cosine (cos(pi q) + 1) / 2, exponential 2 0.5^q - 1, minus_sqrt 1 - sqrt(q)
///
/// Source: NUMERICS.md 1.3; Megatron-LM, megatron/core/optimizer_param_scheduler.py.
Schedule megatron_schedule(const RunConfig& config);

/// Returns Megatron-LM's rising weight decay over the run's `steps`, which ignores lr.total_steps:
///
///   start + g (end - start), r = c / steps, g: r (linear), (cos(pi (1 - r)) + 1) / 2 (cosine)
///
/// Beyond `steps` it stays at the end value.
/// \return empty if optimizer.weight_decay_ramp is constant
std::function<double(int64_t c)> megatron_weight_decay(const RunConfig& config);

/// Returns DeepSpeed's WarmupLR (decay constant), WarmupDecayLR (linear) and WarmupCosineLR (cosine). The
/// engine steps them after the optimizer. Update index c uses iteration k = c - 1. The first update uses the
/// rate set before any iteration, so the first two updates have the rate that warmup starts from.
/// W' = max(2, W).
///
///   k < W': w = k / W' (linear) or log(k + 1) / log(W'); else the tail
///   constant, linear: min + (max - min) g, g = w; tail 1 or max(0, (T - k) / max(1, T - W')); min = m max
///   cosine: max (i + (1 - i) w); tail max (m + (1 - m) (1 + cos(pi p)) / 2),
///           p = min(1, (k - W' + 1) / max(1, T - W')); the first update has lr 0 even if i is not
///
/// Source: NUMERICS.md 1.3; DeepSpeed, deepspeed/runtime/lr_schedules.py.
Schedule deepspeed_schedule(const RunConfig& config);

/// Returns base * factor(c), the product that PyTorch's LambdaLR computes.
Schedule scaled_schedule(double base, std::function<double(int64_t c)> factor);

/// Returns T: lr.total_steps, or steps if lr.total_steps is 0.
int64_t curve_length(const RunConfig& config);

/// Adds a warning if W > T, for families that do not cut it.
void warn_of_long_warmup(const RunConfig& config, Schedule& schedule);

}  // namespace parity::reference
