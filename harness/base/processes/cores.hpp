// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// Returns the number of cores that this process may use, at least 1.
int core_count();

}  // namespace parity
