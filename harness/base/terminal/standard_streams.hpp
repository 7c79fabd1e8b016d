// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// Opens /dev/null in place of each of the descriptors 0, 1 and 2 that the caller closed. Otherwise the next
/// opened file would take that number and receive the printed text. Writing to stdout then still fails, as it
/// should if results were requested.
///
/// Also ignores SIGXFSZ: writing a file beyond `ulimit -f` then fails with an error instead of ending the
/// program.
void prepare_standard_streams();

}  // namespace parity
