// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "reference/attention/attention.hpp"

namespace parity::reference {

/// Reads from the form that a backend computes with which keys each query attends to. So it shows a mask that
/// was built right and cut wrong.
///
/// \param rows       B of the queries
/// \param queries_Q  int64 on the CPU: places in their sequence of the queries that the masks were made for
/// \return [B, Q] int64 on the CPU: the first key; q + 1 for a query without keys; -n for one with n keys
/// that
///         are not the neighbours up to itself
/// \throws InternalError for keys that are not tokens of the rows, as generation keeps them
torch::Tensor first_keys_of(const AttentionMasks& masks, int64_t rows, const torch::Tensor& queries_Q);

}  // namespace parity::reference
