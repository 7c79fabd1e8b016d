// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

namespace parity::hdf5 {

/// Lets files opened with the access list `access` for writing be changed by flushes only, each all or
/// nothing, so that a process killed at any time leaves the file as one of its flushes did (with
/// `committed_writes` on top, journal.hpp). HDF5's own driver overwrites metadata piece by piece: a kill in
/// the middle of a flush leaves a file that does not open (tried: 4 of 100 kills of a writer that does
/// nothing else).
///
/// Metadata is held back until the flush, then written through a Journal. Raw data goes to its place at once:
/// what it overwrites lies in no row or tensor that a flush has committed. The file is an ordinary HDF5 file.
void set_atomic_driver(hid_t access);

}  // namespace parity::hdf5
