// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

namespace parity::hdf5 {

/// Sets a driver on the access list `access` under which an opened file changes only at a flush, all or
/// nothing. A process killed at any time leaves the file as one of its flushes did (with `committed_writes`
/// applied, journal.hpp). HDF5's own driver overwrites metadata piece by piece, so a kill during a flush can
/// leave a file that does not open. Measured: 4 of 100 kills of a writer that does nothing else.
///
/// The driver holds metadata back until the flush, then writes it through a Journal. It writes raw data
/// immediately. The overwritten bytes belong to no row or tensor that a flush has committed. The file is an
/// ordinary HDF5 file.
void set_atomic_driver(hid_t access);

}  // namespace parity::hdf5
