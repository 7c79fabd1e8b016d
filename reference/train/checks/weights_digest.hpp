// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// Returns a digest, 32 hexadecimal digits, of the names and bits of every weight and of the routers' biases
/// that are not zero. Equal digests mean that two runs start from the same model.
/// \param model  whole, on the CPU
std::string weights_digest(const Decoder& model);

}  // namespace parity::reference
