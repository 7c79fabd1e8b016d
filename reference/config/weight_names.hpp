// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "harness/base/enum_names.hpp"

namespace parity::reference {

/// The names and the form of a model's weights in a file, in the order of the values:
///
///   torchtitan until 2026-02, whose names are ours
///   torchtitan since 2026-02, with q, k and v split as in its state dicts
///   torchtitan since 2026-02, with q, k and v in the one matrix of its fused layer
///   Hugging Face
///   Hugging Face with Llama 4's language model alone; for other models the same as Hugging Face
///   nanoGPT, for GPT-2: Hugging Face's names, with matrices as our own, not transposed
enum class WeightNames {
  torchtitan,
  torchtitan_2026,
  torchtitan_2026_fused,
  hugging_face,
  hugging_face_text,
  nanogpt
};
constexpr auto enum_names(WeightNames) {
  return named<WeightNames::nanogpt>(
      "kind of weights' names", {"torchtitan", "torchtitan_2026", "torchtitan_2026_fused", "hugging_face",
                                 "hugging_face_text", "nanogpt"});
}

}  // namespace parity::reference
