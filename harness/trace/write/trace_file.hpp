// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/read/trace.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// A channel's value at one step.
struct ChannelValue {
  ChannelKind kind = ChannelKind::numeric;
  std::variant<double, int64_t> value;
};
using ChannelValues = std::map<std::string, ChannelValue>;

/// The rank that writes a file, and the number of ranks.
struct RankPlace {
  int64_t rank = 0;
  int64_t ranks = 1;
};

/// Gives an open file its digest, the status complete and its final name. Closes it.
void complete_file(hdf5::Handle& file, const std::filesystem::path& partial,
                   const std::filesystem::path& path);

/// A trace file being written, from one thread. Data survives a kill once `end_step` has returned.
class TraceFile {
 public:
  /// Starts `path`.partial, or continues the complete trace at `path`.
  /// \param path          path of rank 0's trace; each other rank writes to a file next to it
  /// \param append_after  0, or the last step that the trace at `path` must have
  TraceFile(const std::filesystem::path& path, const Json& config, const Json& provenance,
            int64_t append_after, RankPlace place = {});
  ~TraceFile();

  /// Writes the values of a tensor.
  /// \param layout  layout of a part; null for a whole tensor
  void add_tensor(const TensorKey& key, int64_t order, const TensorView& view,
                  const TensorLayout* layout = nullptr);
  void add_sketch(SketchRow row, const TensorLayout* layout = nullptr);
  /// Writes a dataset below /replay.
  /// \param place  names of the groups below /replay, then of the dataset; logical names, encoded here
  void add_replay(const std::vector<std::string>& place, const TensorView& view);
  /// Appends the step's channel row (none for step 0) and flushes.
  void end_step(int64_t step, const ChannelValues& channels);
  void set_failure(const Json& what);
  /// Adds facts that were not known when the file was opened to the provenance, under the key `recipe`. Later
  /// facts replace earlier ones of their name.
  void describe(const Json& recipe);
  /// Sets what faults did since this object was created. The trace records it together with what they did
  /// before.
  void set_faults(const std::vector<FaultReport>& reports);
  /// Marks the trace complete and gives it its final name. Without this call it stays `path`.partial. Rank 0
  /// must be last: it records name, size and digest of the other ranks' files. If one of them is missing, the
  /// trace stays partial until join_run. So it does with PARITY_JOIN=later, which asks for no other file.
  void finish();
  /// Closes the trace of a run that failed; it stays partial.
  void abandon();

 private:
  void create(const Json& config);
  void reopen(const Json& config, int64_t append_after);
  void append_channels(int64_t step, const ChannelValues& channels);
  void append_sketches();
  void write_index();
  void leave_index_to_join();
  /// Returns the layout's number in /layouts; writes a new one.
  int64_t number_of(const TensorLayout& layout);
  void flush();

  RankPlace place_;
  Json provenance_;
  bool joins_later_;
  std::filesystem::path path_;
  std::filesystem::path partial_;
  hdf5::Handle file_;
  std::vector<SketchRow> sketches_;  ///< of the current step
  std::vector<PartRow> part_sketches_;
  std::vector<TensorLayout> layouts_;
  std::map<std::string, ChannelKind> channels_;
  /// What faults did before the run was resumed.
  std::vector<FaultReport> faults_;
  int64_t rows_ = 0;  ///< rows in /steps
};

}  // namespace parity::trace
