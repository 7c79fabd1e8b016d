// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace parity::fuzz {

/// Traces that mutations start from: whole tensors, sketches alone, two ranks with shards.
inline constexpr size_t original_traces = 3;

/// Writes original trace `which` as trace.h5 (and trace.rank1.h5) into `folder`.
void write_original(size_t which, const std::filesystem::path& folder);

}  // namespace parity::fuzz
