// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity::operators {

// Suffixes of what the exact reference records beside a tensor NAME.
inline constexpr const char* low_suffix = "~low";      ///< what rounding to float64 lost
inline constexpr const char* plain_suffix = "~plain";  ///< the plain implementation in the point's dtype

}  // namespace parity::operators
