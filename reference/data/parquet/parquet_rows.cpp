// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/parquet/parquet_rows.hpp"

#include <cmath>

#include "reference/data/parquet/read_parquet.hpp"

namespace parity::reference {
namespace {

Json value_at(const ParquetColumn& column, size_t index) {
  switch (column.kind) {
    case ParquetKind::integers:
      return column.integers[index];
    case ParquetKind::numbers:
      return std::isnan(column.numbers[index]) ? Json() : Json(column.numbers[index]);
    case ParquetKind::texts:
      break;
  }
  return column.texts[index];
}

size_t rows_of(const ParquetColumn& column) {
  return column.is_list ? column.ends.size()
                        : column.integers.size() + column.numbers.size() + column.texts.size();
}

Json row_of(const ParquetColumn& column, size_t row) {
  if (!column.is_list)
    return value_at(column, row);
  Json values = Json::array();
  for (size_t i = row == 0 ? 0 : column.ends[row - 1]; i < column.ends[row]; ++i)
    values.push_back(value_at(column, i));
  return values;
}

}  // namespace

std::vector<Json> read_parquet_rows(const std::filesystem::path& path,
                                    const std::vector<ParquetRequest>& requests) {
  const std::vector<ParquetColumn> columns = read_parquet(path, requests);
  std::vector<Json> rows(rows_of(columns.front()), Json::object());
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t i = 0; i < columns.size(); ++i)
      rows[row][requests[i].name] = row_of(columns[i], row);
  return rows;
}

}  // namespace parity::reference
