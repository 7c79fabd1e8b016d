// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/parquet_tokens.hpp"

#include <utility>

#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/parquet/read_parquet.hpp"

namespace parity::reference {
namespace {

/// Returns a column of a kind. \param wanted  its type in words, for messages
ParquetColumn column_of(const std::filesystem::path& path, const std::string& name, ParquetKind kind,
                        bool is_list, const char* wanted) {
  ParquetColumn column = std::move(
      read_parquet(path, {{.name = name, .when_missing = "set data.column to one of these"}}).front());
  if (column.kind != kind || column.is_list != is_list)
    refuse_parquet(path, {"its column '" + name + "' is " + column.type + ", not " + wanted,
                          std::string("set data.column to a column that is ") + wanted});
  return column;
}

}  // namespace

StoredTokens read_parquet_tokens(const std::filesystem::path& path, const std::string& column) {
  ParquetColumn found = column_of(path, column.empty() ? "tokens" : column, ParquetKind::integers,
                                  /*is_list=*/true, "a list of integers");
  return {std::move(found.integers), std::move(found.ends)};
}

std::vector<std::string> read_parquet_texts(const std::filesystem::path& path, const std::string& column) {
  const std::string name = column.empty() ? "text" : column;
  ParquetColumn found = column_of(path, name, ParquetKind::texts, /*is_list=*/false, "text");
  for (size_t row = 0; row < found.texts.size(); ++row)
    if (const auto offset = first_invalid_utf8(found.texts[row]))
      refuse_parquet(path,
                     {"row " + std::to_string(row + 1) + " of its column '" + name + "' is not UTF-8: byte " +
                          std::to_string(*offset) + " does not begin a character",
                      "correct the text"});
  return std::move(found.texts);
}

}  // namespace parity::reference
