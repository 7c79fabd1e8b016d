// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/results/check.hpp"

namespace parity::results {

/// Returns a check, an entry of a case's `checks` (schema parity.results/2).
Json to_json(const Check& check);

/// Returns a row of a check of tensors: {"step", "phase", "name", "identical", ...metrics}.
Json to_json(const TensorRow& row);

Json to_json(const MaskPicture& mask);
/// Cells are rounded to three significant digits, enough for a colour and a tooltip.
Json to_json(const TensorPicture& picture);

}  // namespace parity::results
