// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/results/json_node.hpp"
#include "harness/results/pictures.hpp"

namespace parity::results {

/// Reads one entry of a case's `masks`.
/// \throws UserError (exit 2) that names the invalid field
MaskPicture read_mask_picture(const JsonNode& node);

/// Reads the `picture` of a check.
/// \throws UserError (exit 2) that names the invalid field
TensorPicture read_tensor_picture(const JsonNode& node);

}  // namespace parity::results
