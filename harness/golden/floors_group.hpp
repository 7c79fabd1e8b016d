// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/compare/floors.hpp"
#include "harness/trace/hdf5/input_file.hpp"

namespace parity {

/// Group /floors of a golden file; its layout stands in golden_file.hpp.

void write_floors(hid_t file, const Floors& floors);

/// Empty where the file has no such group. \throws UserError if its columns do not fit together
Floors read_floors(const InputFile& file);

}  // namespace parity
