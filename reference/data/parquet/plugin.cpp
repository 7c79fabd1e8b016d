// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The library that reads Parquet files with Apache Arrow. It is opened only for such a file: it needs Arrow's
// libraries, which a build need not have.
#include "reference/data/parquet/plugin.hpp"

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>
#include <parquet/properties.h>

namespace parity::reference {
namespace {

using Type = arrow::Type;

constexpr const char* write_again = "write it again, for example with pandas or pyarrow";

/// A reason not to read a file.
class Refusal : public std::runtime_error {
 public:
  explicit Refusal(const std::string& why, std::string hint = write_again)
      : std::runtime_error(why), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// Returns Arrow's reason on one line, without a stack.
std::string reason_of(const arrow::Status& status) {
  return status.message().substr(0, status.message().find('\n'));
}

void check(const arrow::Status& status) {
  if (!status.ok())
    throw Refusal(reason_of(status));
}

template <class T>
T taken(arrow::Result<T> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

/// Appends the values of one column, chunk by chunk.
class ColumnReader {
 public:
  ColumnReader(const ParquetRequest& request, ParquetColumn& column) : request_(request), column_(column) {}

  void read(const arrow::ChunkedArray& chunks) {
    column_.type = chunks.type()->ToString();
    for (const std::shared_ptr<arrow::Array>& chunk : chunks.chunks())
      append_rows(*chunk);
    if (chunks.num_chunks() == 0)  // no rows, but a type
      append_rows(*taken(arrow::MakeEmptyArray(chunks.type())));
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Refusal("row " + std::to_string(row_) + " has " + what + " in its column '" + request_.name + "'");
  }

  void append_rows(const arrow::Array& rows) {
    switch (rows.type_id()) {
      case Type::LIST:
        return append_lists(static_cast<const arrow::ListArray&>(rows));
      case Type::LARGE_LIST:
        return append_lists(static_cast<const arrow::LargeListArray&>(rows));
      case Type::FIXED_SIZE_LIST:
        return append_lists(static_cast<const arrow::FixedSizeListArray&>(rows));
      default:
        append_single(rows);
    }
  }

  template <class Lists>
  void append_lists(const Lists& lists) {
    column_.is_list = true;
    append_values(*lists.values()->Slice(0, 0));  // sets the kind where no list has a value
    for (int64_t i = 0; i < lists.length(); ++i) {
      ++row_;
      if (lists.IsNull(i))
        refuse("null");
      append_values(*lists.values()->Slice(lists.value_offset(i), lists.value_length(i)));
      column_.ends.push_back(column_.integers.size() + column_.numbers.size() + column_.texts.size());
    }
  }

  void append_single(const arrow::Array& rows) {
    append_values(*rows.Slice(0, 0));
    for (int64_t i = 0; i < rows.length(); ++i) {
      ++row_;
      append_values(*rows.Slice(i, 1));
    }
  }

  void append_values(const arrow::Array& values) {
    switch (values.type_id()) {
      case Type::INT8:
        return append_integers(static_cast<const arrow::Int8Array&>(values));
      case Type::INT16:
        return append_integers(static_cast<const arrow::Int16Array&>(values));
      case Type::INT32:
        return append_integers(static_cast<const arrow::Int32Array&>(values));
      case Type::INT64:
        return append_integers(static_cast<const arrow::Int64Array&>(values));
      case Type::UINT8:
        return append_integers(static_cast<const arrow::UInt8Array&>(values));
      case Type::UINT16:
        return append_integers(static_cast<const arrow::UInt16Array&>(values));
      case Type::UINT32:
        return append_integers(static_cast<const arrow::UInt32Array&>(values));
      case Type::UINT64:
        return append_integers(static_cast<const arrow::UInt64Array&>(values));
      case Type::FLOAT:
        return append_numbers(static_cast<const arrow::FloatArray&>(values));
      case Type::DOUBLE:
        return append_numbers(static_cast<const arrow::DoubleArray&>(values));
      case Type::STRING:
        return append_texts(static_cast<const arrow::StringArray&>(values));
      case Type::LARGE_STRING:
        return append_texts(static_cast<const arrow::LargeStringArray&>(values));
      default:
        throw Refusal("its column '" + request_.name + "' is " + column_.type +
                      ", neither integers, floats of 32 or 64 bits, text, nor a list of these");
    }
  }

  template <class Integers>
  void append_integers(const Integers& values) {
    column_.kind = ParquetKind::integers;
    for (int64_t i = 0; i < values.length(); ++i) {
      if (values.IsNull(i))
        refuse("null");
      if (std::cmp_greater(values.Value(i), std::numeric_limits<int64_t>::max()))
        refuse(std::to_string(values.Value(i)) + ", which is beyond int64,");
      column_.integers.push_back(static_cast<int64_t>(values.Value(i)));
    }
  }

  template <class Numbers>
  void append_numbers(const Numbers& values) {
    column_.kind = ParquetKind::numbers;
    for (int64_t i = 0; i < values.length(); ++i) {
      const bool unknown = values.IsNull(i);
      if (unknown && !(request_.nulls_in_lists && column_.is_list))
        refuse("null");
      const double value = unknown ? std::numeric_limits<double>::quiet_NaN() : values.Value(i);
      if (!unknown && !std::isfinite(value))
        refuse(std::isnan(value) ? "NaN" : "Infinity");
      column_.numbers.push_back(value);
    }
  }

  template <class Texts>
  void append_texts(const Texts& values) {
    column_.kind = ParquetKind::texts;
    for (int64_t i = 0; i < values.length(); ++i) {
      if (values.IsNull(i))
        refuse("null");
      column_.texts.emplace_back(values.GetView(i));
    }
  }

  const ParquetRequest& request_;
  ParquetColumn& column_;
  int64_t row_ = 0;  ///< from 1
};

std::unique_ptr<parquet::arrow::FileReader> open(const std::string& file) {
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  parquet::arrow::FileReaderBuilder builder;
  check(builder.Open(taken(arrow::io::ReadableFile::Open(file)), properties));
  std::unique_ptr<parquet::arrow::FileReader> reader;
  check(builder.Build(&reader));
  reader->set_use_threads(false);
  return reader;
}

/// Returns the number of the column that a request names.
int number_of(const arrow::Schema& schema, const ParquetRequest& request) {
  const std::string& name = request.name;
  const std::vector<int> found = schema.GetAllFieldIndices(name);
  if (found.size() > 1)
    throw Refusal("two columns have the name '" + name + "'");
  if (found.size() == 1)
    return found.front();
  std::string names;
  for (const std::string& one : schema.field_names())
    names += (names.empty() ? "" : ", ") + one;
  throw Refusal("it has no column '" + name + "', only: " + names.substr(0, 300), request.when_missing);
}

void read_columns(const std::string& file, const std::vector<ParquetRequest>& requests,
                  std::vector<ParquetColumn>& columns) {
  const std::unique_ptr<parquet::arrow::FileReader> reader = open(file);
  std::shared_ptr<arrow::Schema> schema;
  check(reader->GetSchema(&schema));
  columns.assign(requests.size(), {});
  for (size_t i = 0; i < requests.size(); ++i) {
    std::shared_ptr<arrow::ChunkedArray> chunks;
    check(reader->ReadColumn(number_of(*schema, requests[i]), &chunks));
    if (chunks->length() != reader->parquet_reader()->metadata()->num_rows())
      throw Refusal("its column '" + requests[i].name + "' has " + std::to_string(chunks->length()) +
                    " rows, and its footer states " +
                    std::to_string(reader->parquet_reader()->metadata()->num_rows()));
    ColumnReader(requests[i], columns[i]).read(*chunks);
  }
}

ParquetRefusal read(const std::string& file, const std::vector<ParquetRequest>& requests,
                    std::vector<ParquetColumn>& columns) {
  try {
    read_columns(file, requests, columns);
    return {};
  } catch (const Refusal& refusal) {
    return {refusal.what(), refusal.hint()};
  } catch (const std::exception& error) {  // Parquet's reader throws, too
    const std::string reason = error.what();
    return {reason.empty() ? "no reason given" : reason.substr(0, reason.find('\n')), write_again};
  }
}

const ParquetPlugin plugin{ParquetPlugin::current_version, read};

}  // namespace
}  // namespace parity::reference

extern "C" __attribute__((visibility("default"))) const parity::reference::ParquetPlugin*
parity_parquet_plugin() {
  return &parity::reference::plugin;
}
