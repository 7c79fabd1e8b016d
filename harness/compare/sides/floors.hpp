// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"
#include "harness/compare/sides/growth.hpp"

namespace parity::compare {

/// How rounding noise of an arm is generated: by another computation of the same numbers.
enum class NoiseKind {
  twin,       ///< float64 instead of float32
  perturbed,  ///< initial weights times 1 + s eps, s = +1 or -1 by a seed (METRICS.md M6)
  threads,    ///< another number of threads within an operator
  /// The other determinism profile: other kernels, with other orders of summation.
  kernels,
  /// The update split into more or fewer micro-batches, whose gradients are summed.
  micro_batches,
};

constexpr auto enum_names(NoiseKind) {
  return named<NoiseKind::micro_batches>("kind of noise",
                                         {"twin", "perturbed", "threads", "kernels", "micro_batches"});
}

/// The measured rounding noise of one quantity of one arm at one step.
struct FloorRow {
  std::string quantity;  ///< "loss", "grad layers.0.attention.wq.weight"
  int64_t step = 0;
  double scale = 0;  ///< |value| of a channel, L2 norm of a tensor
  /// One value per kind, in the unit of `scale`; NaN if the kind was not measured.
  std::vector<double> noise;

  /// Returns the largest noise of all kinds; 0 if there is none.
  double largest() const;
};

/// The measured rounding noise of one arm.
struct ArmFloors {
  Json config;                 ///< config of the arm when it was measured
  std::vector<FloorRow> rows;  ///< in order of quantity, then step

  /// Returns the names of the quantities, each once, in order.
  std::vector<std::string> quantities() const;
};

/// The rounding noise of a case, as `parity calibrate` measured it.
struct Floors {
  std::vector<std::string> kinds;  ///< kinds of noise: "twin", "perturbed", "threads", ...
  std::map<std::string, ArmFloors> arms;
  Json evidence = Json::object();  ///< command, repeats, environment, growth, what could not be measured

  bool empty() const { return arms.empty(); }
};

/// The floor of one quantity over the steps of a run.
///
/// The floor is 0 up to the first step at which any kind of noise appears: the run is exact there. From then
/// on it is the larger of the noise measured at the step and the growth fitted over all steps. So a step at
/// which all runs agree by chance has a floor too.
class FloorCurve {
 public:
  FloorCurve(const ArmFloors& arm, const std::string& quantity);

  bool empty() const { return points_.empty(); }
  const Growth& growth() const { return growth_; }
  /// Returns the floor in the unit of the quantity; nothing at a step that was not measured.
  std::optional<double> at(int64_t step) const;
  /// Returns the floor divided by the quantity's size; infinite if only the size is 0.
  std::optional<double> relative_at(int64_t step) const;
  std::vector<int64_t> steps() const;

 private:
  struct Point {
    double noise, scale;
  };
  std::map<int64_t, Point> points_;
  std::optional<int64_t> first_;  ///< first step with noise
  Growth growth_;
};

}  // namespace parity::compare
