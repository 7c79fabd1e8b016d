// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace parity::fuzz {

/// Applies a program of mutations to trace.h5 and trace.rank1.h5 in `folder`. The files stay valid HDF5:
/// values and attributes change, objects are deleted, renamed, copied, exchanged or resized.
///
/// \param program  six bytes an instruction: operation (from 128 on the index of ranks is renewed
/// afterwards), object
///                 (2, from 0x8000 on of rank 1), place (2), value. At most 8 instructions count
void mutate_trace(const std::filesystem::path& folder, std::string_view program);

}  // namespace parity::fuzz
