// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace parity::fuzz {

/// Decodes what a comparison must read, with HDF5's own calls: a text of name, type, shape and values for
/// each step list, numeric channel, tensor and sketch column of each rank, and the attributes that say how
/// far a run went. Timing channels, provenance and execution order are left out, since no comparison judges
/// them.
///
/// \param folder  holds trace.h5 and, of two ranks, trace.rank1.h5
std::map<std::string, std::string> decode_trace(const std::filesystem::path& folder);

}  // namespace parity::fuzz
