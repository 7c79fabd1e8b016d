// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/tensor/part.hpp"
#include "harness/trace/format/channel.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/sketch_row.hpp"
#include "harness/trace/hdf5/input_file.hpp"
#include "harness/trace/hdf5/mapped_file.hpp"
#include "harness/trace/read/tensor_index.hpp"

namespace parity::trace {

/// A row of /part_sketches: one part of a sharded tensor.
struct PartRow {
  SketchRow row;  ///< over this part's elements; `shape` is the part's
  int64_t layout = 0;
};

/// A row of /ranks: the file of another rank, in the same folder.
struct RankFile {
  std::string name;
  int64_t size = 0;
  std::string digest;
};

/// The content of one trace file: the whole trace, or what one of several ranks recorded.
struct TraceContent {
  std::filesystem::path path;
  std::string schema;
  int64_t minor = 0;  ///< version within the schema's major one
  bool complete = false;
  int64_t last_step = 0;
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t joined_ranks = 1;  ///< number of ranks whose values the writer joined in this file
  Json config = Json::object();
  Json provenance = Json::object();
  std::optional<Json> failure;
  std::vector<FaultReport> faults;
  std::vector<int64_t> steps;
  std::map<std::string, Channel> channels;
  std::vector<SketchRow> sketches;     ///< of tensors that are whole in this file
  std::vector<PartRow> part_sketches;  ///< of tensors sharded over ranks
  std::vector<TensorLayout> layouts;
  std::vector<PartCover> covers;     ///< one for each of `layouts`
  std::vector<RankFile> rank_files;  ///< files of ranks 1, 2, ...; only in rank 0's file
  std::map<TensorKey, TensorPlace> tensors;
  std::unique_ptr<MappedFile> mapped;

  /// The attributes config, provenance, faults and failure, as JSON text read from the file.
  std::map<std::string, std::string> texts;
  /// The JSON text of each of `layouts`, as read from the file.
  std::vector<std::string> layout_texts;

  /// Returns the stored values of a tensor or part; the view is valid as long as this object.
  TensorView view(const TensorPlace& place) const;
};

}  // namespace parity::trace
