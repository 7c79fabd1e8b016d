// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/case.hpp"

namespace parity::reports {

/// "Update 1, row 2, tokens 0-95 of 256: 820 pairs attend in both, 14 only in eos, 0 only in positions."
std::string mask_sentence(const MaskPicture& mask);

}  // namespace parity::reports
