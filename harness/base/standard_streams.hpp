// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// Opens /dev/null in place of each of the descriptors 0, 1 and 2 that the caller closed. Otherwise the next
/// file that is opened would take the number, and what is printed would go into that file. Writing to stdout
/// then still fails, as it should where results were asked for.
///
/// Also ignores SIGXFSZ: a file that grows beyond `ulimit -f` is then a failed write with its reason.
void prepare_standard_streams();

}  // namespace parity
