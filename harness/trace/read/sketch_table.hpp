// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/trace/format/sketch_row.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/input_file.hpp"

namespace parity {

/// Dimensions of a tensor that a sketch row can name.
inline constexpr size_t most_dimensions = 8;

/// Whether more rows will follow: columns that grow are chunked, with room for long names.
enum class SketchLayout { growing, finished };

/// Writes rows into the columns of a sketches group: appends where the layout is growing (columns are made
/// with the first rows), else makes columns of just these.
/// \throws UserError for a tensor of more than 8 dimensions
void write_sketches(hid_t group, std::span<const SketchRow> rows, SketchLayout layout);

/// Appends to the column `layout` of a growing table of parts: which of /layouts each row has.
void write_sketch_layouts(hid_t group, std::span<const int64_t> layouts);
/// The layouts of the rows that read_sketches returns. \throws UserError if the column has not one a row
std::vector<int64_t> read_sketch_layouts(const InputFile& file, hid_t group,
                                         std::optional<int64_t> last_step);

/// The rows in file order.
/// \param last_step  of a killed run: rows of later steps are left out, and columns may be longer than others
/// \throws UserError if columns are missing, differ in length or hold impossible values
std::vector<SketchRow> read_sketches(const InputFile& file, hid_t group,
                                     std::optional<int64_t> last_step = std::nullopt);

}  // namespace parity
