// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/schedules/schedule.hpp"

#include <array>
#include <cmath>

#include "harness/base/error.hpp"
#include "reference/optim/schedules/families.hpp"

namespace parity::reference {
namespace {

struct Family {
  ScheduleName name;
  Schedule (*make)(const RunConfig& config);
};

constexpr std::array<Family, EnumNames<ScheduleName>::names.size()> table = {{
    {ScheduleName::titan, titan_schedule},
    {ScheduleName::warmup_linear, warmup_linear_schedule},
    {ScheduleName::hugging_face_linear, hugging_face_linear_schedule},
    {ScheduleName::hugging_face_cosine, hugging_face_cosine_schedule},
    {ScheduleName::verl_cosine, verl_cosine_schedule},
    {ScheduleName::verl_constant, verl_constant_schedule},
    {ScheduleName::megatron, megatron_schedule},
    {ScheduleName::deepspeed, deepspeed_schedule},
}};

}  // namespace

Schedule make_schedule(const RunConfig& config) {
  for (const Family& family : table)
    if (family.name == config.lr.schedule)
      return family.make(config);
  throw InternalError("schedule " + std::string(name_of(config.lr.schedule)) + " is not in the table");
}

Schedule scaled_schedule(double base, std::function<double(int64_t c)> factor) {
  Schedule schedule;
  schedule.lr = [base, factor = std::move(factor)](int64_t c) { return base * factor(c); };
  return schedule;
}

int64_t curve_length(const RunConfig& config) {
  return config.lr.total_steps > 0 ? config.lr.total_steps : config.steps;
}

void warn_of_long_warmup(const RunConfig& config, Schedule& schedule) {
  const int64_t warmup = config.lr.warmup_steps, length = curve_length(config);
  if (warmup > length)
    schedule.warnings.push_back("lr.warmup_steps = " + std::to_string(warmup) + " exceeds the " +
                                std::to_string(length) + " steps of the schedule; " +
                                std::string(name_of(config.lr.schedule)) +
                                " keeps it, so the curve ends before it reaches lr.base");
}

int64_t round_half_to_even(double value) {
  const double below = std::floor(value);
  const double rest = value - below;
  const auto whole = static_cast<int64_t>(below);
  if (rest != 0.5)
    return rest < 0.5 ? whole : whole + 1;
  return whole % 2 == 0 ? whole : whole + 1;
}

}  // namespace parity::reference
