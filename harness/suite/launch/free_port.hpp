// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity::suite {

/// Returns a TCP port of this machine on which no process listens now, for trainers that connect over TCP; 0
/// if the system has none.
int free_port();

}  // namespace parity::suite
