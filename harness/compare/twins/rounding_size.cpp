// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twins/rounding_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns distance / scale; 0 if the distance is 0, infinite if only the scale is 0.
double units(double distance, double scale) {
  if (scale == 0)
    return distance == 0 ? 0 : distance * infinity;
  return distance / scale;
}

/// Returns the smaller of both limits on one arm, given what the other arm costs.
double limit(const RoundingSize& size, const RoundingModel& model, double other, double alike) {
  const bool narrow = model.roundoff > RoundingModel{}.roundoff;
  const double most = narrow                       ? model.most
                      : size.lost_in_common(alike) ? model.in_common
                                                   : std::max(model.most, alike * size.amplification());
  const double beside_it = alike * std::max({other, model.usual, size.amplification()});
  return size.factor * (size.comparable ? std::min(most, beside_it) : most);
}

/// Returns "2^19.7 float32 roundings".
std::string roundings_text(double roundings, const RoundingModel& model) {
  return roundings == 0
             ? std::string("nothing")
             : fmt::format("{} {} roundings", power_text(std::log2(roundings)), name_of(model.dtype));
}

}  // namespace

RoundingModel rounding_model(DType dtype) {
  switch (dtype) {
    case DType::bfloat16:
      return {dtype, 0x1p-8, 0.25, 8, 8};
    case DType::float16:
      return {dtype, 0x1p-11, 0.25, 8, 8};
    case DType::float8_e4m3fn:
      return {dtype, 0x1p-4, 0.25, 8, 8};
    case DType::float8_e5m2:
      return {dtype, 0x1p-3, 0.25, 8, 8};
    default:
      return {};
  }
}

RoundingModel wider_allowance(const RoundingModel& a, const RoundingModel& b) {
  return a.roundoff < b.roundoff ? b : a;
}

double RoundingSize::roundings_of_a() const {
  return units(distance_a, model_a.roundoff * collapse.norm64);
}

double RoundingSize::roundings_of_b() const {
  return units(distance_b, model_b.roundoff * collapse.norm64);
}

double RoundingSize::amplification() const {
  return std::min(units(collapse.gap64, 0x1p-53 * collapse.norm64), CollapseRule().multiple);
}

bool RoundingSize::lost_in_common(double alike) const {
  const double allowed = alike * std::max(model_a.usual, amplification());
  return comparable && collapse.gap32 <= allowed * model_a.roundoff * collapse.norm64;
}

double RoundingSizeRule::limit_of_a(const RoundingSize& size) const {
  return limit(size, size.model_a, size.roundings_of_b(), alike);
}

double RoundingSizeRule::limit_of_b(const RoundingSize& size) const {
  return limit(size, size.model_b, size.roundings_of_a(), alike);
}

Verdict RoundingSizeRule::judge(const RoundingSize& size) const {
  const double farthest = near * size.collapse.norm64;
  if (!std::isfinite(farthest) || !(size.distance_a <= farthest) || !(size.distance_b <= farthest))
    return Verdict::vacuous;
  const double all = size.distance_a + size.distance_b + size.collapse.gap64;
  if (size.exact && !(size.collapse.gap32 <= explained * all))
    return Verdict::vacuous;
  return size.roundings_of_a() <= limit_of_a(size) && size.roundings_of_b() <= limit_of_b(size)
             ? Verdict::rounding
             : Verdict::imprecise;
}

std::string RoundingSizeRule::explain(const RoundingSize& size, const std::string& a,
                                      const std::string& b) const {
  const Verdict verdict = judge(size);
  if (verdict == Verdict::rounding)
    return "";
  const bool b_is_farther = !(size.distance_b < size.distance_a);
  if (verdict == Verdict::vacuous) {
    const double farther = b_is_farther ? size.distance_b : size.distance_a;
    if (farther <= near * size.collapse.norm64)
      return fmt::format(
          "the gap is {}, but {} and {} are only {} and {} from their float64 twins, so the twins are not of "
          "these runs",
          size_text(size.collapse.gap32), a, b, size_text(size.distance_a), size_text(size.distance_b));
    if (size.collapse.norm64 == 0)
      return fmt::format(
          "the quantity is 0 in float64 but not in {}, so its float64 twin is not the same run",
          b_is_farther ? b : a);
    return fmt::format(
        "{} is {} of the quantity from its float64 twin (at most {:g}), so the twin is not the same run in "
        "float64",
        b_is_farther ? b : a, size_text(units(farther, size.collapse.norm64)), near);
  }
  const bool b_loses = size.roundings_of_b() * limit_of_a(size) >= size.roundings_of_a() * limit_of_b(size);
  const double lost = b_loses ? size.roundings_of_b() : size.roundings_of_a();
  const double kept = b_loses ? size.roundings_of_a() : size.roundings_of_b();
  return fmt::format("{} loses {} (at most {}), {} {}: a narrower type or a cancelling sum", b_loses ? b : a,
                     roundings_text(lost, b_loses ? size.model_b : size.model_a),
                     power_text(std::log2(b_loses ? limit_of_b(size) : limit_of_a(size))), b_loses ? a : b,
                     roundings_text(kept, b_loses ? size.model_a : size.model_b));
}

}  // namespace parity::compare
