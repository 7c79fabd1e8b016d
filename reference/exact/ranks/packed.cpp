// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/ranks/packed.hpp"

#include <vector>

#include <ATen/ATen.h>

#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

constexpr int64_t absent = -3;  ///< a plane that a rank does not have

}  // namespace

at::Tensor packed(const Numbers& x, at::IntArrayRef shape) {
  std::vector<at::Tensor> planes = x.levels;
  planes.resize(static_cast<size_t>(tower().levels()));
  planes.push_back(x.power);
  planes.push_back(x.factor);
  for (at::Tensor& plane : planes)
    plane = plane.defined() ? plane.expand(shape) : at::full(shape, absent, at::kLong);
  return at::stack(planes, 1).contiguous();
}

at::Tensor packed(const at::Tensor& x) {
  return packed(read(x), x.sizes());
}

Numbers unpacked(const at::Tensor& planes) {
  const auto plane = [&](int64_t i) {
    const at::Tensor result = planes.select(1, i);
    return result.eq(absent).any().item<bool>() ? at::Tensor() : result;
  };
  Numbers result;
  for (int64_t level = 0; level < tower().levels(); ++level) {
    const at::Tensor each = plane(level);
    if (!each.defined())
      break;
    result.levels.push_back(each);
  }
  result.power = plane(tower().levels());
  result.factor = result.power.defined() ? plane(tower().levels() + 1) : at::Tensor();
  return result;
}

Numbers sum_of_parts(const at::Tensor& parts, int64_t n) {
  const int64_t d = parts.size(0) / n;
  // All parts together, so that every rank drops the same planes.
  Numbers all = unpacked(parts), total;
  for (int64_t i = 0; i < n; ++i) {
    const Numbers each = moved(
        {all}, [&](const std::vector<at::Tensor>& planes, int64_t) { return planes[0].narrow(0, i * d, d); });
    total = i == 0 ? each : add(total, each);
  }
  return total;
}

}  // namespace parity::reference::exact
