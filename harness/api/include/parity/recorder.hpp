// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "kinds.hpp"
#include "recorder.h"
#include "tensor_view.hpp"

namespace parity::api {

/// What a Recorder is opened with.
struct RecorderOptions {
  std::string path = {};          ///< path of rank 0's trace, also on other ranks
  int64_t rank = 0;               ///< rank of this process
  int64_t ranks = 1;              ///< number of ranks of the run
  std::string config = {};        ///< JSON object: the numeric config; "": {}
  std::string provenance = {};    ///< JSON object: facts about build and machine; "": {}
  std::string capture = {};       ///< JSON object: what to record beyond channels; "": nothing
  std::string capture_file = {};  ///< file that holds the capture; "": none. Not with `capture`
  int64_t append_after = 0;       ///< last step of the complete trace that this run continues; 0: a new trace
};

/// How a tensor is stored in memory and in the step. The members are those of parity_tensor.
struct TensorPlace {
  std::vector<int64_t> strides = {};  ///< [elements]; empty for row-major
  void* writable = nullptr;           ///< the tensor's memory, if faults and the teacher may change it
  std::string layout = {};            ///< JSON object: this rank's part; "": the tensor is whole
  std::optional<int64_t> order = {};  ///< position in the order of execution
  bool recomputed = false;            ///< computed a second time in this step: taught, not recorded
  int64_t micro_batch = 0;            ///< number of this micro-batch
  int64_t micro_batches = 0;          ///< number of micro-batches; 0: not offered in pieces
  int64_t first_row = 0;              ///< index of this piece's first row in the logical tensor
  int64_t rows = 0;                   ///< rows of the logical tensor; not needed with a layout
  parity_copy copy = nullptr;         ///< copies memory that the host cannot read
  void* copy_context = nullptr;       ///< first argument of `copy`
};

/// Records one rank's trace of a training run. It calls the C functions of recorder.h, so it needs
/// libparity-recorder.so only. Every function throws Error if the C function fails.
class Recorder {
 public:
  /// Opens the trace of one rank.
  explicit Recorder(const RecorderOptions& options) {
    const auto text = [](const std::string& json) { return json.empty() ? nullptr : json.c_str(); };
    parity_recorder_options known = {};
    known.struct_size = sizeof known;
    known.path = options.path.c_str();
    known.rank = options.rank;
    known.ranks = options.ranks;
    known.config = text(options.config);
    known.provenance = text(options.provenance);
    known.capture = text(options.capture);
    known.capture_file = text(options.capture_file);
    known.append_after = options.append_after;
    recorder_.reset(parity_recorder_open_with(&known));
    if (!recorder_)
      throw Error(parity_recorder_last_error(), 2);
  }

  /// Begins a step: the number of an update, from 1, or 0 for the initial state.
  void begin_step(int64_t step) { must(parity_recorder_begin_step(recorder_.get(), step)); }
  /// Ends the step, which is then committed whole.
  void end_step() { must(parity_recorder_end_step(recorder_.get())); }

  /// Records the value of a channel at this step.
  void channel(const std::string& name, double value, ChannelKind kind = ChannelKind::numeric) {
    must(parity_recorder_value_f64(recorder_.get(), name.c_str(), value, static_cast<int32_t>(kind)));
  }
  /// Records the value of an integer channel at this step.
  void channel(const std::string& name, int64_t value, ChannelKind kind = ChannelKind::numeric) {
    must(parity_recorder_value_i64(recorder_.get(), name.c_str(), value, static_cast<int32_t>(kind)));
  }

  /// Returns a number that identifies a phase and a name.
  int64_t intern(Phase phase, const std::string& name) {
    const int64_t id =
        parity_recorder_intern(recorder_.get(), std::string(name_of(phase)).c_str(), name.c_str());
    must(id < 0 ? 2 : 0);
    return id;
  }
  /// Returns the PARITY_WANTS_* of an id at this step; 0 if offering the tensor does nothing.
  int wants(int64_t id) {
    const int wanted = parity_recorder_wants_id(recorder_.get(), id);
    must(wanted < 0 ? 2 : 0);
    return wanted;
  }

  /// Offers a tensor, or this rank's part of one.
  void tensor(Phase phase, const std::string& name, const TensorView& view, const TensorPlace& place = {}) {
    offer(intern(phase, name), view, place);
  }
  /// Offers the tensor of an id.
  void offer(int64_t id, const TensorView& view, const TensorPlace& place = {}) {
    const parity_tensor known = described(id, view, place);
    must(parity_recorder_offer(recorder_.get(), &known));
  }

  /// Marks the run as failed. \param what  JSON object
  void failure(const std::string& what) { must(parity_recorder_failure(recorder_.get(), what.c_str())); }
  /// Completes the trace. Rank 0 finishes after all other ranks.
  void finish() { must(parity_recorder_finish(recorder_.get())); }

  /// Returns the recorder for the functions of recorder.h.
  parity_recorder* get() const { return recorder_.get(); }

 private:
  struct Close {
    void operator()(parity_recorder* recorder) const { parity_recorder_close(recorder); }
  };

  static void must(int status) {
    if (status != 0)
      throw Error(parity_recorder_last_error(), status);
  }

  static parity_tensor described(int64_t id, const TensorView& view, const TensorPlace& place) {
    parity_tensor known = {};
    known.struct_size = sizeof known;
    known.id = id;
    known.dtype = name_of(view.dtype).data();  // ends in NUL: it is a literal
    known.rank = static_cast<int32_t>(view.shape.size());
    known.flags = (place.order ? uint32_t{PARITY_TENSOR_ORDERED} : 0U) |
                  (place.recomputed ? uint32_t{PARITY_TENSOR_RECOMPUTED} : 0U);
    known.shape = view.shape.data();
    known.strides = place.strides.empty() ? nullptr : place.strides.data();
    known.data = view.data;
    known.writable = place.writable;
    known.copy = place.copy;
    known.copy_context = place.copy_context;
    known.layout = place.layout.empty() ? nullptr : place.layout.c_str();
    known.order = place.order.value_or(0);
    known.micro_batch = place.micro_batch;
    known.micro_batches = place.micro_batches;
    known.first_row = place.first_row;
    known.rows = place.rows;
    return known;
  }

  std::unique_ptr<parity_recorder, Close> recorder_;
};

}  // namespace parity::api
