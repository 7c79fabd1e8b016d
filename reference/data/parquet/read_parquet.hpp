// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/data/parquet/plugin.hpp"

namespace parity::reference {

/// Opens a library that reads Parquet, which stays open.
/// \param file  for messages, the file that needs it
/// \throws UserError (exit 3) if the library is missing, cannot be opened, or has another version
const ParquetPlugin& load_parquet_plugin(const std::filesystem::path& library,
                                         const std::filesystem::path& file);

/// Returns columns of data.path, whole, with one value or list for each row.
///
/// A library beside the program, or in ../bin, reads them: libparity-parquet.so.
/// \throws UserError if the file is missing (exit 3), has no rows, or cannot be read (plugin.hpp); and (exit
///         3) if this build reads no Parquet
std::vector<ParquetColumn> read_parquet(const std::filesystem::path& path,
                                        const std::vector<ParquetRequest>& requests);

/// Reports what is wrong with a Parquet file. \throws UserError always
[[noreturn]] void refuse_parquet(const std::filesystem::path& path, const ParquetRefusal& refusal);

}  // namespace parity::reference
