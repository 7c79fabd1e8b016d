// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checkpoint/data_state.hpp"

#include <string>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

constexpr const char* position_name = "data_position";
constexpr const char* rows_name = "data_rows";
constexpr const char* next_row_name = "data_next_row";

bool reads_files(const DataConfig& data) {
  return data.source == DataSource::text || data.source == DataSource::tokens;
}

torch::Tensor int64_scalar(int64_t value) {
  return torch::tensor(value, torch::kInt64);
}

/// Returns the numbers of a tensor as text: "6 and 2".
std::string listed(const torch::Tensor& values) {
  std::string text;
  for (int64_t i = 0; i < values.numel(); ++i)
    text += (i == 0 ? "" : " and ") + std::to_string(values[i].item<int64_t>());
  return text.empty() ? "no" : text;
}

/// Throws unless a rule holds. \param why  what the data are now, and what they were
void require(bool holds, const std::filesystem::path& file, const std::string& why) {
  if (!holds)
    throw UserError("cannot resume the data of " + file.string() + " (" + why +
                    "); resume with the files and the data.* that saved it, or name data in "
                    "checkpoint.exclude_from_loading");
}

torch::Tensor entry(const SavedValues& saved, const char* name) {
  require(saved.contains(name), saved.path(), std::string("it has no ") + name);
  return saved.read(name);
}

}  // namespace

void insert_data_state(Entries& entries, const DataConfig& data, const Loader& loader) {
  entries.insert(position_name, int64_scalar(loader.position()));
  if (!reads_files(data))
    return;
  entries.insert(rows_name, torch::tensor(loader.rows_by_source(), torch::kInt64));
  entries.insert(next_row_name, int64_scalar(loader.next_row_digest()));
}

void load_data_state(const SavedValues& saved, const DataConfig& data, Loader& loader) {
  const std::filesystem::path& file = saved.path();
  loader.set_position(entry(saved, position_name).item<int64_t>());
  const bool reads = reads_files(data);
  require(saved.contains(next_row_name) == reads, file,
          (reads ? "it has no state of files, and data.source = "
                 : "it has the state of files, and data.source = ") +
              std::string(name_of(data.source)));
  if (!reads)
    return;
  const torch::Tensor rows = torch::tensor(loader.rows_by_source(), torch::kInt64);
  const torch::Tensor before = entry(saved, rows_name);
  require(torch::equal(before, rows), file,
          "it had read " + listed(before) + " rows of data.paths, and data.weights now give " + listed(rows));
  require(entry(saved, next_row_name).item<int64_t>() == loader.next_row_digest(), file,
          "sequence " + std::to_string(loader.position()) + ", the next one, is another than it was");
}

}  // namespace parity::reference
