// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "reference/dcp/pickle/value.hpp"

namespace parity::reference {

/// Reads a pickle of protocols 2 to 5 without running any of it.
/// \throws FormatError for truncated bytes, an unknown opcode, or text opcodes of older protocols
/// Source: the opcodes in CPython's pickletools.
Pickle read_pickle(std::string_view bytes);

}  // namespace parity::reference
