// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "reports/model/tensor_picture.hpp"
#include "reports/search/chart.hpp"

namespace parity::reports {

/// Returns the smallest difference above 0 and the largest, which get the two ends of the colours; nothing if
/// no cell differs.
std::optional<std::pair<double, double>> heat_range(const TensorPicture& picture);

/// Returns the map of a tensor's differences: the colour of a cell is its largest on a logarithmic scale;
/// equal cells are left empty.
/// \param worst  index of the element that differs most, which gets a ring; empty = none
Chart heat_chart(const TensorPicture& picture, const std::vector<int64_t>& worst);

}  // namespace parity::reports
