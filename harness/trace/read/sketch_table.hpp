// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/trace/format/sketch_row.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/input_file.hpp"

namespace parity::trace {

/// Most dimensions of a tensor that a sketch row can describe.
inline constexpr size_t most_dimensions = 8;

/// Whether more rows will follow. Growing columns are chunked and leave room for long names.
enum class SketchLayout { growing, finished };

/// Writes rows into the columns of a sketches group. For a growing layout it appends, and creates the columns
/// with the first rows. Otherwise it creates columns of exactly these rows.
/// \throws UserError for a tensor of more than 8 dimensions
void write_sketches(hid_t group, std::span<const SketchRow> rows, SketchLayout layout);

/// Appends to the column `layout` of a growing table of parts: the index of each row's layout in /layouts.
void write_sketch_layouts(hid_t group, std::span<const int64_t> layouts);
/// Returns the layout index of each row that read_sketches returns.
/// \throws UserError if the column does not have one value per row
std::vector<int64_t> read_sketch_layouts(const InputFile& file, hid_t group,
                                         std::optional<int64_t> last_step);

/// Returns the rows in file order.
/// \param last_step  last committed step of a killed run: later rows are ignored, and columns may differ in
///                   length
/// \throws UserError if columns are missing, differ in length or hold impossible values
std::vector<SketchRow> read_sketches(const InputFile& file, hid_t group,
                                     std::optional<int64_t> last_step = std::nullopt);

}  // namespace parity::trace
