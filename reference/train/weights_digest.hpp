// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// Names and bits of every weight, and of routers' biases that are not zero, as 32 hexadecimal digits:
/// whether two runs start from the same model.
/// \param model  whole, on the CPU
std::string weights_digest(const Decoder& model);

}  // namespace parity::reference
