// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/noise_arms.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/suite/cases/precision.hpp"
#include "harness/suite/cases/profile.hpp"

namespace parity::suite {
namespace {

/// Returns another number of micro-batches that divides the rows of a rank; 0 if there is none.
int64_t other_micro_batches(const FlatConfig& config) {
  const int64_t now = integer_of(config, "data.micro_batches", 1);
  const int64_t ranks = std::max<int64_t>(integer_of(config, "parallel.dp_replicate", 1), 1) *
                        std::max<int64_t>(integer_of(config, "parallel.dp_shard", 1), 1);
  const int64_t rows = integer_of(config, "data.global_batch", 0) / ranks;
  if (now < 1 || rows < 1)
    return 0;
  if (rows % (2 * now) == 0)
    return 2 * now;
  return now % 2 == 0 && rows % (now / 2) == 0 ? now / 2 : 0;
}

/// Collects the noise runs of one arm. All of them change the keys of `base`.
class Planner {
 public:
  Planner(const Arm& arm, NoisePlan& plan) : arm_(arm), plan_(plan) {}

  void add(compare::NoiseKind kind, const std::string& suffix, const FlatConfig& keys,
           std::optional<Profile> profile = {}, const std::vector<trace::Fault>& faults = {}) {
    ExtraArm extra{.of = arm_.name, .suffix = suffix, .config = keys, .profile = profile, .faults = faults};
    if (plan_.float32) {
      extra.suffix = plan_.float32->suffix + "." + suffix;
      extra.config.insert(plan_.float32->config.begin(), plan_.float32->config.end());
    }
    plan_.noise.push_back({kind, std::move(extra)});
  }
  void leave_out(compare::NoiseKind kind, const std::string& why) {
    plan_.left_out.push_back(fmt::format("{}: {}", name_of(kind), why));
  }

 private:
  const Arm& arm_;
  NoisePlan& plan_;
};

void add_micro_batches(Planner& planner, const Arm& arm, const FlatConfig& config) {
  constexpr auto kind = compare::NoiseKind::micro_batches;
  const int64_t other = other_micro_batches(config);
  if (arm.is_command())
    return planner.leave_out(kind, "parity cannot change the micro-batches of a command");
  if (text_of(config, "loss.normalization") != "global_tokens")
    return planner.leave_out(kind, "other micro-batches change the computation if each is averaged");
  if (other == 0)
    return planner.leave_out(kind, "the rows of a rank cannot be split into another number of micro-batches");
  planner.add(kind, fmt::format("micro_batches{}", other), {{"data.micro_batches", other}});
}

/// Returns the machine epsilon: the distance of 1 to the next number.
double eps_of(const FlatConfig& config) {
  return text_of(config, "dtype") == "float64" ? 0x1p-52 : 0x1p-23;
}

void add_perturbed(Planner& planner, const Arm& arm, const FlatConfig& config, int repeats) {
  if (arm.is_command())
    return planner.leave_out(compare::NoiseKind::perturbed, "parity cannot change the weights of a command");
  for (int i = 1; i <= repeats; ++i)
    planner.add(compare::NoiseKind::perturbed, fmt::format("perturbed{}", i), {}, {},
                {perturbed_weights(eps_of(config), static_cast<uint64_t>(i))});
}

}  // namespace

trace::Fault perturbed_weights(double size, uint64_t seed) {
  trace::Fault fault;
  fault.kind = trace::FaultKind::perturb;
  fault.steps = {0};
  fault.phase = trace::Phase::param;
  fault.size = size;
  fault.seed = seed;
  return fault;
}

NoisePlan plan_noise(const Arm& arm, const FlatConfig& config, Profile profile, int repeats) {
  NoisePlan plan;
  plan.arm = arm.name;
  if (computes_in_16_bits(config))
    plan.float32 = ExtraArm{.of = arm.name, .suffix = "float32", .config = without_16_bits()};
  Planner planner(arm, plan);
  if (!arm.float64)
    planner.leave_out(compare::NoiseKind::twin, "the command has no float64 form");
  else if (text_of(config, "dtype") == "float64")
    planner.leave_out(compare::NoiseKind::twin, "the arm runs in float64 itself");
  else
    planner.add(compare::NoiseKind::twin, "twin", {{"dtype", "float64"}});
  add_perturbed(planner, arm, config, repeats);
  const int64_t threads = integer_of(config, "threads", 1) == 1 ? 2 : 1;
  planner.add(compare::NoiseKind::threads, fmt::format("threads{}", threads), {{"threads", threads}});
  const Profile other = profile == Profile::portable ? Profile::native : Profile::portable;
  planner.add(compare::NoiseKind::kernels, std::string(name_of(other)), {}, other);
  add_micro_batches(planner, arm, config);
  return plan;
}

}  // namespace parity::suite
