// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "harness/laws/schedules/curve.hpp"

namespace parity::laws {
namespace {

using std::numbers::pi;

/// The keys lr.* of a config of parity-train.
struct LrKeys {
  double base = 0, decay_ratio = -1, min = 0, init = 0, cycles = 0.5;
  double warmup = 0, total = 0, wsd = 0, first_index = 1;
  std::string schedule, decay, wsd_decay, warmup_shape;
};

std::optional<LrKeys> read_keys(const RecordedRun& run) {
  const auto base = run.config_number("lr.base");
  LrKeys keys{.schedule = run.config_text("lr.schedule"),
              .decay = run.config_text("lr.decay"),
              .wsd_decay = run.config_text("lr.wsd_decay"),
              .warmup_shape = run.config_text("lr.warmup")};
  if (!base || keys.schedule.empty())
    return std::nullopt;
  const auto number = [&](const char* key, double otherwise) {
    return run.config_number(key).value_or(otherwise);
  };
  keys.base = *base;
  keys.decay_ratio = number("lr.decay_ratio", -1);
  keys.min = number("lr.min_factor", 0);
  keys.init = number("lr.init_factor", 0);
  keys.cycles = number("lr.num_cycles", 0.5);
  keys.warmup = number("lr.warmup_steps", 0);
  keys.total = number("lr.total_steps", 0);
  keys.wsd = number("lr.wsd_steps", 0);
  keys.first_index = number("lr.first_index", 1);
  if (keys.total <= 0)
    keys.total = number("steps", 0);
  return keys;
}

double cosine(double p) {
  return 0.5 * (1 + std::cos(pi * p));
}

/// torchtitan's warmup, plateau, decay.
double titan(const LrKeys& k, double c) {
  const double warmup = std::min(k.warmup, k.total);
  double decay = k.total - warmup;
  if (const double asked = std::nearbyint(k.total * k.decay_ratio);
      k.decay_ratio >= 0 && warmup + asked <= k.total)
    decay = asked;
  const double end = k.total + 1 - decay;
  if (c < warmup)
    return (c + 1) / warmup;
  if (c < end || decay == 0)
    return 1;
  const double p = (c + 1 - end) / decay;
  const double share = k.decay == "sqrt" ? 1 - std::sqrt(p) : k.decay == "cosine" ? cosine(p) : 1 - p;
  return k.min + (1 - k.min) * share;
}

double hugging_face(const LrKeys& k, double c) {
  if (c < k.warmup)
    return c / std::max(1.0, k.warmup);
  const double length = std::max(1.0, k.total - k.warmup);
  if (k.schedule == "hugging_face_linear")
    return std::max(0.0, (k.total - c) / length);
  return std::max(0.0, 0.5 * (1 + std::cos(2 * pi * k.cycles * (c - k.warmup) / length)));
}

double verl_cosine(const LrKeys& k, double c) {
  if (c < k.warmup)
    return k.init + (1 - k.init) * c / std::max(1.0, k.warmup);
  const double p = (c - k.warmup) / std::max(1.0, k.total - k.warmup);
  return std::max(k.min, std::cos(2 * pi * k.cycles * p) * (1 - k.min) / 2 + (1 + k.min) / 2);
}

double wsd_share(const LrKeys& k, double q) {
  if (k.wsd_decay == "cosine")
    return cosine(q);
  if (k.wsd_decay == "exponential")
    return 2 * std::pow(0.5, q) - 1;
  return k.wsd_decay == "minus_sqrt" ? 1 - std::sqrt(q) : 1 - q;
}

double megatron(const LrKeys& k, double c) {
  if (k.warmup > 0 && c <= k.warmup)
    return k.init + (1 - k.init) * c / k.warmup;
  if (k.decay == "constant")
    return 1;
  if (c > k.total)
    return k.min;
  const double r = (c - k.warmup) / (k.total - k.warmup);
  double share = 1 - r;
  if (k.decay == "cosine")
    share = cosine(r);
  if (k.decay == "wsd")
    share = c <= k.total - k.wsd ? 1 : wsd_share(k, (c - k.total + k.wsd) / k.wsd);
  return k.min + (1 - k.min) * share;
}

/// Counts samples, of which an update has `samples`.
double megatron_inverse_root(const LrKeys& k, double c, double samples) {
  if (k.warmup > 0 && c <= k.warmup)
    return k.init + (1 - k.init) * c / k.warmup;
  if (c > k.total)
    return k.min;
  return std::max(k.min, std::sqrt(std::max(k.warmup * samples, 1.0) / std::max(c * samples, 1.0)));
}

double deepspeed(const LrKeys& k, double c) {
  const double warmup = std::max(2.0, k.warmup), at = c - 1;
  const double length = std::max(1.0, k.total - warmup);
  const bool is_cosine = k.decay == "cosine";
  if (at < 0)
    return is_cosine ? 0 : k.min;
  if (at < warmup) {
    const double share = k.warmup_shape == "linear" ? at / warmup : std::log(at + 1) / std::log(warmup);
    return is_cosine ? k.init + share * (1 - k.init) : k.min + (1 - k.min) * share;
  }
  if (is_cosine)
    return std::max(0.0, k.min + (1 - k.min) * cosine(std::min(1.0, (at - warmup + 1) / length)));
  return k.decay == "linear" ? k.min + (1 - k.min) * std::max(0.0, (k.total - at) / length) : 1;
}

std::function<double(double)> factor_of(const LrKeys& k, double samples) {
  if (k.schedule == "titan")
    return [k](double c) { return titan(k, c); };
  if (k.schedule == "warmup_linear")
    return [k](double c) { return c < k.warmup ? (c + k.first_index) / k.warmup : 1; };
  if (k.schedule == "hugging_face_linear" || k.schedule == "hugging_face_cosine")
    return [k](double c) { return hugging_face(k, c); };
  if (k.schedule == "verl_cosine")
    return [k](double c) { return verl_cosine(k, c); };
  if (k.schedule == "verl_constant")
    return [k](double c) { return c < k.warmup ? c / k.warmup : 1; };
  if (k.schedule == "megatron" && k.decay == "inverse_square_root")
    return [k, samples](double c) { return megatron_inverse_root(k, c, samples); };
  if (k.schedule == "megatron")
    return [k](double c) { return megatron(k, c); };
  if (k.schedule == "deepspeed")
    return [k](double c) { return deepspeed(k, c); };
  return {};
}

}  // namespace

std::optional<Curve> promised_lr(const RecordedRun& run) {
  const std::optional<LrKeys> keys = read_keys(run);
  if (!keys)
    return std::nullopt;
  if (const double given = run.config_number("rl.controller_lr").value_or(0);
      given > 0 && run.config_text("data.source") == "rollouts")
    return Curve{fmt::format("rl.controller_lr = {:.6g}", given), [given](int64_t) { return given; }};
  const auto factor = factor_of(*keys, run.config_number("data.global_batch").value_or(1));
  if (!factor)
    return std::nullopt;
  return Curve{
      fmt::format("{} with base {:.6g} and {} warmup steps", keys->schedule, keys->base, keys->warmup),
      [factor, base = keys->base](int64_t c) { return base * factor(static_cast<double>(c)); }};
}

std::optional<Curve> promised_decay(const RecordedRun& run) {
  const auto end = run.config_number("optimizer.weight_decay");
  const std::string ramp = run.config_text("optimizer.weight_decay_ramp");
  if (!end || ramp.empty())
    return std::nullopt;
  if (ramp == "constant")
    return Curve{fmt::format("constant {:.6g}", *end), [end = *end](int64_t) { return end; }};
  const double start = run.config_number("optimizer.weight_decay_start").value_or(0);
  const double steps = run.config_number("steps").value_or(0);
  const bool is_cosine = ramp == "cosine";
  return Curve{fmt::format("{} ramp from {:.6g} to {:.6g}", ramp, start, *end), [=, end = *end](int64_t c) {
                 const double r = std::min(1.0, static_cast<double>(c) / steps);
                 return start + (is_cosine ? cosine(1 - r) : r) * (end - start);
               }};
}

}  // namespace parity::laws
