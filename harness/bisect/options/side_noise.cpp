// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/side_noise.hpp"

#include <algorithm>

#include "harness/suite/cases/precision.hpp"

namespace parity::bisect {
namespace {

double roundoff_of(const suite::FlatConfig& config) {
  if (suite::computes_in_16_bits(config))
    return 0x1p-9;
  return suite::text_of(config, "dtype") == "float64" ? 0x1p-53 : 0x1p-24;
}

bool may_differ_from_itself(const suite::Case& sides) {
  return sides.profile != suite::Profile::portable ||
         std::ranges::any_of(sides.arms, [](const suite::Arm& arm) { return arm.is_command(); });
}

bool on_gpu(const suite::PlannedCase& planned) {
  return std::ranges::any_of(planned.arms, [](const suite::PlannedArm& arm) {
    return suite::text_of(arm.config, "device") == "cuda";
  });
}

CurveGap larger(const CurveGap& a, const CurveGap& b) {
  return b.size > a.size ? b : a;
}

}  // namespace

SideNoise side_noise(OptionRuns& runs, const suite::PlannedCase& planned,
                     const std::vector<std::string>& channels, int looks) {
  SideNoise noise;
  for (const suite::PlannedArm& arm : planned.arms)
    noise.size = std::max(noise.size, roundoff_of(arm.config));
  if (looks == 0)
    looks = may_differ_from_itself(planned.source) || on_gpu(planned) ? 2 : 1;
  if (looks < 2 || !runs.of({runs.all()}).finished())
    return noise;
  std::vector<Hybrid> again;
  for (int repeat = 1; repeat < looks; ++repeat)
    for (const Toggles& side : {Toggles(), runs.all()})
      again.push_back({side, 0, repeat});
  runs.fetch(again);
  const RunCurves& good = runs.of({{}});
  const RunCurves& bad = runs.of({runs.all()});
  const CurveRuler ruler(good, bad, channels_of_interest(good, bad, channels));
  CurveGap of_good, of_bad, between = ruler.farthest(good, bad, to_the_end);
  for (int repeat = 1; repeat < looks; ++repeat) {
    const RunCurves& bad_again = runs.of({runs.all(), 0, repeat});
    of_good = larger(of_good, ruler.farthest(good, runs.of({{}, 0, repeat}), to_the_end));
    of_bad = larger(of_bad, ruler.farthest(bad, bad_again, to_the_end));
    if (const CurveGap gap = ruler.farthest(good, bad_again, to_the_end); gap.size > between.size) {
      between = gap;
      noise.bad_look = repeat;
    }
  }
  noise.largest = larger(of_good, of_bad);
  noise.measured = noise.largest.size > 0;
  noise.flaky = of_good.size > 0 && 4 * of_good.size >= between.size;
  if (of_bad.size > 0 && 4 * of_bad.size >= between.size)
    noise.kind = Noise::bad_side;
  else
    noise.size = std::max(noise.size, 4 * of_bad.size);
  noise.size = std::max(noise.size, 4 * of_good.size);
  return noise;
}

}  // namespace parity::bisect
