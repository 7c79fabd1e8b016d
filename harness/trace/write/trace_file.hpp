// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/read/trace.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity {

/// Values of one step's channels.
struct ChannelValue {
  ChannelKind kind = ChannelKind::numeric;
  std::variant<double, int64_t> value;
};
using ChannelValues = std::map<std::string, ChannelValue>;

/// Whose file it is.
struct RankPlace {
  int64_t rank = 0;
  int64_t ranks = 1;
};

/// A trace being written, from one thread. What `end_step` returned from survives a kill.
class TraceFile {
 public:
  /// Starts `path`.partial, or takes a complete trace at `path` up again.
  /// \param path          of rank 0's trace; each other rank writes beside it
  /// \param append_after  0, or the number of the last step that the trace at `path` must have
  TraceFile(const std::filesystem::path& path, const Json& config, const Json& provenance,
            int64_t append_after, RankPlace place = {});
  ~TraceFile();

  /// \param layout  of a part; null: the tensor is whole
  void add_tensor(const TensorKey& key, int64_t order, const TensorView& view,
                  const TensorLayout* layout = nullptr);
  void add_sketch(SketchRow row, const TensorLayout* layout = nullptr);
  /// \param place  group names below /replay, then the dataset's; logical names, encoded here
  void add_replay(const std::vector<std::string>& place, const TensorView& view);
  /// Appends the step's row (none for step 0) and flushes.
  void end_step(int64_t step, const ChannelValues& channels);
  void set_failure(const Json& what);
  /// What faults did since this object was made; goes into the trace with what they did before.
  void set_faults(const std::vector<FaultReport>& reports);
  /// Status complete and the final name; without it the trace stays `path`.partial. Rank 0 comes last: it
  /// writes down what the files of the others are.
  void finish();
  /// Ends the writing of a run that failed; the trace stays partial.
  void abandon();

 private:
  void create(const Json& config, const Json& provenance);
  void reopen(const Json& config, int64_t append_after);
  void append_channels(int64_t step, const ChannelValues& channels);
  void append_sketches();
  int64_t number_of(const TensorLayout& layout);  ///< among /layouts; new ones are written
  void flush();

  RankPlace place_;
  std::filesystem::path path_;
  std::filesystem::path partial_;
  hdf5::Handle file_;
  std::vector<SketchRow> sketches_;  ///< of the step that is going on
  std::vector<PartRow> part_sketches_;
  std::vector<TensorLayout> layouts_;
  std::map<std::string, ChannelKind> channels_;
  std::vector<FaultReport> faults_;  ///< of the legs of the run before this one
  int64_t rows_ = 0;                 ///< of /steps
};

}  // namespace parity
