// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// Tests against PyTorch from Python demand equal bits, so both sides must come from the same wheel; with a
/// LibTorch of the user's own they are skipped.
constexpr bool has_pytorch = PARITY_HAS_PYTORCH;
constexpr const char* needs_pytorch = "needs the torch wheel in PARITY_VENV, found a LibTorch of your own";

}  // namespace parity
