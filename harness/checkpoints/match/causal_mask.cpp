// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/match/causal_mask.hpp"

#include "harness/tensor/conversions.hpp"

namespace parity::checkpoints {
namespace {

bool ends_in(const std::string& name, const char* last) {
  return name.ends_with(std::string("attn.") + last) || name.ends_with(std::string("attention.") + last);
}

bool is_lower_triangle(const StridedView& view) {
  const int64_t width = view.shape.back();
  for (int64_t i = 0; i < view.size(); ++i) {
    const double value = widen(view.dtype, view.data + static_cast<size_t>(i) * size_of(view.dtype));
    if (value != (i % width <= i / width ? 1 : 0))
      return false;
  }
  return true;
}

}  // namespace

bool is_causal_mask(const Item& item) {
  const StridedView& view = item.view;
  if (!item.type.has_values || !view.is_contiguous())
    return false;
  if (ends_in(item.name, "masked_bias"))
    return view.size() == 1 && widen(view.dtype, view.data) <= -1e4;
  return ends_in(item.name, "bias") && view.shape.size() == 4 && view.shape[0] == 1 && view.shape[1] == 1 &&
         view.shape[2] > 1 && view.shape[2] == view.shape[3] && is_lower_triangle(view);
}

}  // namespace parity::checkpoints
