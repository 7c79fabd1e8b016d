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
  Schedule (*make)(const LrConfig& lr, int64_t total_steps);
};

constexpr std::array<Family, EnumNames<ScheduleName>::names.size()> table = {{
    {ScheduleName::titan, titan_schedule},
    {ScheduleName::warmup_linear, warmup_linear_schedule},
    {ScheduleName::hugging_face_linear, hugging_face_linear_schedule},
}};

}  // namespace

Schedule make_schedule(const LrConfig& lr, int64_t steps) {
  for (const Family& family : table)
    if (family.name == lr.schedule)
      return family.make(lr, lr.total_steps > 0 ? lr.total_steps : steps);
  throw InternalError("schedule " + std::string(name_of(lr.schedule)) + " is not in the table");
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
