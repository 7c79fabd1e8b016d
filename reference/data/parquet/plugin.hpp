// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parity::reference {

/// What the values of a column are.
enum class ParquetKind { integers, numbers, texts };

/// One column of a Parquet file, without Arrow's types.
struct ParquetColumn {
  ParquetKind kind = ParquetKind::integers;
  std::string type;          ///< Arrow's name, such as "list<element: int32>", for messages
  bool is_list = false;      ///< each row has a list of values, else one value
  std::vector<size_t> ends;  ///< of lists: one past the last value of each row
  std::vector<int64_t> integers;
  std::vector<double> numbers;  ///< finite, or NaN for a null that the request allows
  std::vector<std::string> texts;
};

/// A column that a caller wants.
struct ParquetRequest {
  std::string name;
  bool nulls_in_lists = false;  ///< whether a list may have null for a number that is not known
  std::string when_missing = "rename a column";  ///< what to do about a file that lacks it
};

/// Why a file cannot be read, and what to do about it. Both are empty if it was read.
struct ParquetRefusal {
  std::string why;
  std::string hint;
};

/// The interface between the trainer and the library that reads Parquet with Apache Arrow. Both are built by
/// one compiler. `version` shows that both come from one source.
struct ParquetPlugin {
  static constexpr uint32_t current_version = 2;
  /// Name of the function that the library exports: extern "C" const ParquetPlugin* ()
  static constexpr const char* entry = "parity_parquet_plugin";

  uint32_t version;
  /// Reads columns whole, in the order of the requests. All have one value, or one list, for each row.
  /// Nothing is thrown.
  /// \param columns  is set
  /// \return a reason if the file is truncated, has no such column, two of one name, a type that is neither
  /// of
  ///         ParquetKind nor a list of it, a null, or a number that is not finite
  ParquetRefusal (*read)(const std::string& file, const std::vector<ParquetRequest>& requests,
                         std::vector<ParquetColumn>& columns);
};

}  // namespace parity::reference
