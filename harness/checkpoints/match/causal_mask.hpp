// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/checkpoints/match/rule.hpp"

namespace parity::checkpoints {

/// Returns whether a tensor is a causal mask that GPT-2 and GPT-NeoX keep as a buffer of each layer. Its name
/// ends in `attn.bias` or `attention.bias`, its shape is [1, 1, t, t], and it is exactly 1 up to the
/// diagonal, else 0. Also true for the score `masked_bias` of masked tokens beside it, if it is -10,000
/// or less.
bool is_causal_mask(const Item& item);

}  // namespace parity::checkpoints
