// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

constexpr const char* needs_pytorch = "needs the torch wheel in PARITY_VENV, found a LibTorch of your own";

}  // namespace parity
