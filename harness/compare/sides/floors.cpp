// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/floors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parity::compare {

double FloorRow::largest() const {
  double most = 0;
  for (const double each : noise)
    most = std::isnan(each) ? most : std::max(most, each);
  return most;
}

std::vector<std::string> ArmFloors::quantities() const {
  std::vector<std::string> names;
  for (const FloorRow& row : rows)
    if (std::find(names.begin(), names.end(), row.quantity) == names.end())
      names.push_back(row.quantity);
  return names;
}

FloorCurve::FloorCurve(const ArmFloors& arm, const std::string& quantity) {
  std::vector<GrowthPoint> differences;
  for (const FloorRow& row : arm.rows) {
    if (row.quantity != quantity)
      continue;
    points_[row.step] = {row.largest(), row.scale};
    if (row.scale > 0)
      differences.push_back({row.step, row.largest() / row.scale});
  }
  for (const auto& [step, point] : points_)
    if (point.noise > 0 && !first_)
      first_ = step;
  growth_ = fit_growth(differences);
}

std::optional<double> FloorCurve::at(int64_t step) const {
  const auto found = points_.find(step);
  if (found == points_.end())
    return std::nullopt;
  if (!first_ || step < *first_)
    return 0;
  return std::max(found->second.noise, growth_.at(step) * found->second.scale);
}

std::optional<double> FloorCurve::relative_at(int64_t step) const {
  const auto floor = at(step);
  if (!floor || *floor == 0)
    return floor;
  const double scale = points_.at(step).scale;
  return scale > 0 ? *floor / scale : std::numeric_limits<double>::infinity();
}

std::vector<int64_t> FloorCurve::steps() const {
  std::vector<int64_t> all;
  for (const auto& [step, point] : points_)
    all.push_back(step);
  return all;
}

}  // namespace parity::compare
