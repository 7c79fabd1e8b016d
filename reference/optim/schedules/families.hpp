// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/optim/schedules/schedule.hpp"

// Symbols: c update index from 0, T length of the curve, W warmup steps, m lr.min_factor, i lr.init_factor,
// all of the config. A family that multiplies lr.base gives its factor.

namespace parity::reference {

/// torchtitan's warmup, stable, decay, with D steps of decay and S = T + 1 - W - D stable:
///
///   c < W: (c + 1) / W;   c < W + S: 1;   else m + (1 - m) g(p), p = (c + 1 - W - S) / D
///
/// g: 1 - p (linear), 1 - sqrt(p), (1 + cos(pi p)) / 2. The stable part has one step more than fits, so the
/// lowest factor m is reached one update after the last. W > T and W + D > T are cut to fit, with a warning.
/// From the end of warmup on the linear decay is Hugging Face's; bit for bit where its length is a power of
/// two, elsewhere to one rounding of lr.base. Source: NUMERICS.md 1.1.
Schedule titan_schedule(const RunConfig& config);

/// c < W: (c + first_index) / W; else 1. first_index 1 counts like torchtitan; 0 like Hugging Face, whose
/// first update has lr 0. Source: NUMERICS.md 1.3.
Schedule warmup_linear_schedule(const RunConfig& config);

/// c < W: c / max(1, W); else max(0, (T - c) / max(1, T - W)). Source: NUMERICS.md 1.3.
Schedule hugging_face_linear_schedule(const RunConfig& config);

/// c < W: c / max(1, W); else max(0, (1 + cos(2 pi n p)) / 2), p = (c - W) / max(1, T - W), n lr.num_cycles.
/// torchtune's is the same. Source: NUMERICS.md 1.3.
Schedule hugging_face_cosine_schedule(const RunConfig& config);

/// c < W: i + (1 - i) c / max(1, W); else max(m, (1 - m) / 2 cos(2 pi n p) + (1 + m) / 2), p as above.
/// Beyond T it rises again. Source: NUMERICS.md 1.3.
Schedule verl_cosine_schedule(const RunConfig& config);

/// c < W: c / max(1, W); else 1. Has no first factor, so the first update of a warmup always has lr 0.
/// Source: NUMERICS.md 1.3.
Schedule verl_constant_schedule(const RunConfig& config);

/// Megatron-LM's OptimizerParamScheduler, in absolute rates: max = lr.base, min = m max, init = i max. It
/// counts samples, so n, W, T and the final decay are updates times data.global_batch:
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

/// Megatron-LM's rising weight decay over the run's `steps`, whatever the length of the rates' curve:
/// start + g (end - start), r = c / steps: linear r, cosine (cos(pi (1 - r)) + 1) / 2; the end beyond them.
/// \return empty where optimizer.weight_decay_ramp is constant
std::function<double(int64_t c)> megatron_weight_decay(const RunConfig& config);

/// DeepSpeed's WarmupLR (decay constant), WarmupDecayLR (linear) and WarmupCosineLR (cosine), as its engine
/// steps them: after the optimizer. Update index c uses iteration k = c - 1, and the first update the rate
/// set before any iteration, so that the first two updates have the rate that warmup starts from. W' = max(2,
/// W).
///
///   k < W': w = k / W' (linear) or log(k + 1) / log(W'); else the tail
///   constant, linear: min + (max - min) g, g = w; tail 1 or max(0, (T - k) / max(1, T - W')); min = m max
///   cosine: max (i + (1 - i) w); tail max (m + (1 - m) (1 + cos(pi p)) / 2),
///           p = min(1, (k - W' + 1) / max(1, T - W')); the first update has lr 0 even if i is not
///
/// Source: NUMERICS.md 1.3; DeepSpeed, deepspeed/runtime/lr_schedules.py.
Schedule deepspeed_schedule(const RunConfig& config);

/// base * factor(c), the product that PyTorch's LambdaLR makes.
Schedule scaled_schedule(double base, std::function<double(int64_t c)> factor);

/// T: lr.total_steps, or steps where that is 0.
int64_t curve_length(const RunConfig& config);

/// Adds a warning if W > T, for families that do nothing about it.
void warn_of_long_warmup(const RunConfig& config, Schedule& schedule);

}  // namespace parity::reference
