// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/json/json.hpp"
#include "reference/data/parquet/plugin.hpp"

namespace parity::reference {

/// Returns the rows of a Parquet file as JSON objects with the wanted columns: what a file of JSON lines has
/// for the same rows. A null that a request allows is null. \throws UserError as read_parquet
std::vector<Json> read_parquet_rows(const std::filesystem::path& path,
                                    const std::vector<ParquetRequest>& requests);

}  // namespace parity::reference
