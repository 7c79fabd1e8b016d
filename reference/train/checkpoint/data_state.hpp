// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/data/loader.hpp"
#include "reference/train/checkpoint/saved_values.hpp"

namespace parity::reference {

/// Adds the loader's state to a checkpoint: "data_position", the number of the next sequence. For data that
/// come from files it also adds what the position means: "data_rows", how many rows each of data.paths gave,
/// and "data_next_row", a digest of the next row. All are int64.
void insert_data_state(Entries& entries, const DataConfig& data, const Loader& loader);

/// Sets the loader's position.
/// \throws UserError if the next row would be another than that of the saved run, since weights, files,
/// their order or their format changed
void load_data_state(const SavedValues& saved, const DataConfig& data, Loader& loader);

}  // namespace parity::reference
