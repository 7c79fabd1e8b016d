// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "harness/base/enum_names.hpp"

namespace parity::reference {

/// Under which names, and in which form, a file holds a model's weights: those of torchtitan until 2026-02,
/// which are ours; of torchtitan since then, q, k and v split as its state dicts have them, or in the one
/// matrix that its fused layer holds; of Hugging Face; of Hugging Face with Llama 4's language model alone,
/// for other models the same.
enum class WeightNames {
  torchtitan,
  torchtitan_2026,
  torchtitan_2026_fused,
  hugging_face,
  hugging_face_text
};
constexpr auto enum_names(WeightNames) {
  return named<WeightNames::hugging_face_text>(
      "kind of weights' names",
      {"torchtitan", "torchtitan_2026", "torchtitan_2026_fused", "hugging_face", "hugging_face_text"});
}

}  // namespace parity::reference
