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
#include "harness/trace/hdf5.hpp"
#include "harness/trace/trace.hpp"

namespace parity {

/// Values of one step's channels.
struct ChannelValue {
  ChannelKind kind = ChannelKind::numeric;
  std::variant<double, int64_t> value;
};
using ChannelValues = std::map<std::string, ChannelValue>;

/// A trace being written, from one thread. What `end_step` returned from survives a kill.
class TraceFile {
 public:
  /// Starts `path`.partial, or takes a complete trace at `path` up again.
  /// \param append_after  0, or the number of the last step that the trace at `path` must have
  TraceFile(std::filesystem::path path, const Json& config, const Json& provenance, int64_t append_after);
  ~TraceFile();

  void add_tensor(const TensorKey& key, int64_t order, const TensorView& view);
  void add_sketch(SketchRow row);
  /// \param place  group names below /replay, then the dataset's; logical names, encoded here
  void add_replay(const std::vector<std::string>& place, const TensorView& view);
  /// Appends the step's row (none for step 0) and flushes.
  void end_step(int64_t step, const ChannelValues& channels);
  void set_failure(const Json& what);
  /// Status complete and the final name; without it the trace stays `path`.partial.
  void finish();
  /// Ends the writing of a run that failed; the trace stays partial.
  void abandon();

 private:
  void create(const Json& config, const Json& provenance);
  void reopen(const Json& config, int64_t append_after);
  void append_channels(int64_t step, const ChannelValues& channels);
  void flush();

  std::filesystem::path path_;
  std::filesystem::path partial_;
  hdf5::Handle file_;
  std::vector<SketchRow> sketches_;  ///< of the step that is going on
  std::map<std::string, ChannelKind> channels_;
  int64_t rows_ = 0;  ///< of /steps
};

/// "trace.h5.partial" for "trace.h5".
std::filesystem::path partial_path(const std::filesystem::path& path);

}  // namespace parity
