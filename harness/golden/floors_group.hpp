// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/compare/sides/floors.hpp"
#include "harness/trace/hdf5/input_file.hpp"

namespace parity::golden {

/// Group /floors of a golden file; golden_file.hpp documents its layout.

void write_floors(hid_t file, const compare::Floors& floors);

/// Returns the floors; empty if the file has no such group. \throws UserError if its columns do not fit
/// together
compare::Floors read_floors(const trace::InputFile& file);

}  // namespace parity::golden
