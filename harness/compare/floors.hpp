// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json.hpp"
#include "harness/compare/growth.hpp"

namespace parity {

/// How rounding noise is made of an arm: another way to the same numbers.
enum class NoiseKind {
  twin,           ///< float64 in place of float32
  perturbed,      ///< the first weights times 1 + s eps, s = +1 or -1 by a seed (METRICS.md M6)
  threads,        ///< another number of threads within an operator
  kernels,        ///< the other determinism profile: other kernels, with other orders of summation
  micro_batches,  ///< the update cut into more or fewer micro-batches, whose gradients are added up
};

template <>
struct EnumNames<NoiseKind> {
  static constexpr std::string_view what = "kind of noise";
  static constexpr std::array<std::string_view, 5> names = {"twin", "perturbed", "threads", "kernels",
                                                            "micro_batches"};
};

/// The measured rounding noise of one quantity of one arm at one step.
struct FloorRow {
  std::string quantity;  ///< "loss", "grad layers.0.attention.wq.weight"
  int64_t step = 0;
  double scale = 0;           ///< |value| of a channel, L2 norm of a tensor
  std::vector<double> noise;  ///< a value each kind, in the unit of `scale`; NaN where it was not measured

  /// The largest of the kinds; 0 without any.
  double largest() const;
};

/// The noise of one arm.
struct ArmFloors {
  Json config;                 ///< of the arm, as it was measured
  std::vector<FloorRow> rows;  ///< in order of quantity, then step

  /// Names, each once, in order.
  std::vector<std::string> quantities() const;
};

/// What `parity calibrate` measured of a case.
struct Floors {
  std::vector<std::string> kinds;  ///< how noise was made: "twin", "perturbed", "threads", ...
  std::map<std::string, ArmFloors> arms;
  Json evidence = Json::object();  ///< command, repeats, environment, growth, what could not be measured

  bool empty() const { return arms.empty(); }
};

/// The floor of one quantity over the steps of a run.
///
/// Up to the first step at which any kind of noise shows, a run is exact: the floor is 0. From there on it is
/// the larger of what was measured at the step and what the growth fitted over all steps gives there, so that
/// a step at which all runs agree by chance has a floor too.
class FloorCurve {
 public:
  FloorCurve(const ArmFloors& arm, const std::string& quantity);

  bool empty() const { return points_.empty(); }
  const Growth& growth() const { return growth_; }
  /// In the unit of the quantity; nothing at a step that was not measured.
  std::optional<double> at(int64_t step) const;
  /// Divided by the quantity's size; infinite where only that is 0.
  std::optional<double> relative_at(int64_t step) const;
  std::vector<int64_t> steps() const;

 private:
  struct Point {
    double noise, scale;
  };
  std::map<int64_t, Point> points_;
  std::optional<int64_t> first_;  ///< where noise shows first
  Growth growth_;
};

}  // namespace parity
