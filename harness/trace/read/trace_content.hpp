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

namespace parity {

/// A row of /part_sketches.
struct PartRow {
  SketchRow row;  ///< of this part's elements; `shape` is the part's
  int64_t layout = 0;
};

/// A row of /ranks: the file that another rank left beside this one.
struct RankFile {
  std::string name;
  int64_t size = 0;
  std::string digest;
};

/// What one file of a trace holds: all of it, or what one of several ranks recorded.
struct TraceContent {
  std::filesystem::path path;
  std::string schema;
  int64_t minor = 0;  ///< version within the schema's major one
  bool complete = false;
  int64_t last_step = 0;
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t joined_ranks = 1;  ///< whose values the writer put into this one file
  Json config = Json::object();
  Json provenance = Json::object();
  std::optional<Json> failure;
  std::vector<FaultReport> faults;
  std::vector<int64_t> steps;
  std::map<std::string, Channel> channels;
  std::vector<SketchRow> sketches;     ///< of tensors that are whole in this file
  std::vector<PartRow> part_sketches;  ///< of the others
  std::vector<TensorLayout> layouts;
  std::vector<PartCover> covers;     ///< of each layout
  std::vector<RankFile> rank_files;  ///< in the file of rank 0: of ranks 1, 2, ...
  std::map<TensorKey, TensorPlace> tensors;
  std::unique_ptr<MappedFile> mapped;

  /// Text of the attributes config, provenance, faults and failure, as it stands in the file.
  std::map<std::string, std::string> texts;
  std::vector<std::string> layout_texts;  ///< likewise, of each of `layouts`

  /// The values of a tensor or part, as they are; valid as long as this object.
  TensorView view(const TensorPlace& place) const;
};

}  // namespace parity
