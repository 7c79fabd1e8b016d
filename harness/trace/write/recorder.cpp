// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/recorder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/trace/format/sketch_row.hpp"
#include "harness/trace/hdf5/path_name.hpp"
#include "harness/trace/write/fault_injector.hpp"
#include "harness/trace/write/pieces.hpp"
#include "harness/trace/write/teacher.hpp"
#include "harness/trace/write/trace_writer.hpp"

namespace parity::trace {
namespace {

/// A copy of a tensor for the writer thread.
struct OwnedTensor {
  std::unique_ptr<std::byte[]> bytes;
  TensorView view;

  explicit OwnedTensor(const TensorView& source)
      : bytes(std::make_unique_for_overwrite<std::byte[]>(source.bytes() + 1)), view(source) {
    if (source.bytes() > 0)
      std::memcpy(bytes.get(), source.data, source.bytes());
    view.data = bytes.get();
  }
};

const TensorLayout* layout_of_part(const TensorLayout& layout) {
  return is_whole(layout) ? nullptr : &layout;
}

void write_piece(TraceFile& file, Pieces& pieces, const TensorKey& key, int64_t order, const TensorView& view,
                 const TensorLayout& layout, bool keep) {
  const std::optional<Pieces::Joined> whole = pieces.add(key, order, view, layout, keep);
  if (!whole)
    return;
  file.add_sketch(whole->row, layout_of_part(whole->layout));
  if (keep)
    file.add_tensor(key, whole->row.order, {view.dtype, whole->shape, whole->bytes.data()},
                    layout_of_part(whole->layout));
}

void write_tensor(TraceFile& file, const TensorKey& key, int64_t order, const TensorView& view,
                  const TensorLayout& layout, bool keep) {
  file.add_sketch(sketch_row(key, order, view.dtype, view.shape, measure::measure_tensor(view, layout)),
                  layout_of_part(layout));
  if (keep)
    file.add_tensor(key, order, view, layout_of_part(layout));
}

}  // namespace

void check_part(const Shape& shape, const TensorLayout& layout, std::string_view name) {
  if (is_whole(layout))
    return;
  const Shape named = shape_of(cover_of(layout));
  if (named != shape)
    throw UserError(
        fmt::format("cannot record {} (its shape is {}, but its layout describes a shard of shape {}); give "
                    "the layout of this rank's shard",
                    name, to_string(shape), to_string(named)));
}

struct Recorder::State {
  Capture capture;
  /// Null for no teacher. It reads its trace before the writer's thread starts.
  std::unique_ptr<Teacher> teacher;
  TraceWriter writer;
  FaultInjector faults;
  bool faults_by_disturb;
  FaultHook fault;
  int64_t last_step;
  std::optional<int64_t> step;  // current step
  int64_t order = 0;
  ChannelValues channels;
  /// Tensors of the step, with the micro-batch for a tensor in pieces.
  std::set<std::tuple<Phase, std::string, int64_t>> seen;
  /// Used by the writer's thread only.
  std::shared_ptr<Pieces> pieces = std::make_shared<Pieces>();
  bool failed = false;
  bool finished = false;

  explicit State(Options options)
      : capture(std::move(options.capture)),
        teacher(capture.teacher.empty() ? nullptr : std::make_unique<Teacher>(capture.teacher, options.rank)),
        writer(std::make_unique<TraceFile>(options.path, options.config, options.provenance,
                                           options.append_after, RankPlace{options.rank, options.ranks})),
        faults(capture.faults, options.rank, options.ranks),
        faults_by_disturb(options.faults_by_disturb),
        last_step(options.append_after > 0 ? options.append_after : -1) {}

  void require_step(const char* what) const {
    require(step.has_value(), std::string(what) + " outside a step (call begin_step first)");
  }

  /// \param place  position in the step that the trainer gives
  /// \return the tensor's position in the step
  int64_t offer(Phase phase, std::string_view name, const TensorLayout& layout,
                std::optional<int64_t> place = {}) {
    require_step("tensor");
    if (place && (*place < 0 || *place == std::numeric_limits<int64_t>::max()))
      throw UserError("tensor " + std::string(name) + " has the order " + std::to_string(*place) +
                      " (positions in a step count from 0)");
    const Placement* piece = micro_batch_of(layout);
    if (!seen.emplace(phase, std::string(name), piece == nullptr ? 0 : piece->coordinate).second)
      throw UserError(
          fmt::format("cannot record tensor {} of step {}, phase {} (it was offered twice); give each tensor "
                      "its own name",
                      name, *step, name_of(phase)));
    const int64_t given = place.value_or(order);
    order = std::max(order, given + 1);
    return given;
  }

  bool is_taught(Phase phase, std::string_view name) const {
    return teacher && teacher->has({*step, phase, std::string(name)});
  }

  void print_faults() {
    if (!capture.faults.empty())
      writer.submit(
          TraceWriter::Job([reports = faults.reports()](TraceFile& file) { file.set_faults(reports); }));
  }

  void record(TensorKey key, int64_t place, const TensorView& view, void* writable,
              const TensorLayout& layout) {
    encode_name(key.name);
    check_part(view.shape, layout, key.name);
    const bool keep = capture.wants_tensor(key.step, key.phase, key.name);
    OwnedTensor copy(view);
    if (fault && !writable)
      fault(key.step, key.phase, key.name, copy.view, copy.bytes.get());
    writer.submit(TraceWriter::Job([key = std::move(key), place, keep, layout, copy = std::move(copy),
                                    joined = pieces](TraceFile& file) {
                    if (micro_batch_of(layout) != nullptr)
                      write_piece(file, *joined, key, place, copy.view, layout, keep);
                    else
                      write_tensor(file, key, place, copy.view, layout, keep);
                  }),
                  view.bytes());
  }

  void add_channel(std::string_view name, ChannelValue value) {
    require_step("channel");
    require(*step > 0, "channel at step 0, which is the initial state and takes tensors only");
    encode_name(name);  // rejects invalid names here, not later on the writer's thread
    if (!channels.emplace(std::string(name), value).second)
      throw UserError(fmt::format(
          "cannot record channel {} at step {} (it was given twice); record one value a step", name, *step));
  }
};

Recorder::Recorder(Options options) : state_(std::make_unique<State>(std::move(options))) {}

Recorder::~Recorder() = default;

void Recorder::set_fault_hook(FaultHook hook) {
  state_->fault = std::move(hook);
}

void Recorder::begin_step(int64_t step) {
  require(!state_->step, "begin_step(" + std::to_string(step) + ") before the end_step of the last one");
  if (step <= state_->last_step || step < 0)
    throw UserError(
        fmt::format("cannot begin step {} (it does not follow step {}); number steps in increasing order",
                    step, state_->last_step));
  state_->step = step;
  state_->order = 0;
  state_->channels.clear();
  state_->seen.clear();
}

void Recorder::channel(std::string_view name, double value, ChannelKind kind) {
  state_->add_channel(name, {kind, value});
}

void Recorder::channel(std::string_view name, int64_t value, ChannelKind kind) {
  state_->add_channel(name, {kind, value});
}

bool Recorder::wants(Phase phase, std::string_view name) const {
  state_->require_step("wants");
  return may_change(phase, name) || state_->capture.wants_sketch(*state_->step, phase, name);
}

bool Recorder::wants_elements(Phase phase, std::string_view name) const {
  state_->require_step("wants_elements");
  return may_change(phase, name) || state_->capture.wants_tensor(*state_->step, phase, name);
}

bool Recorder::may_change(Phase phase, std::string_view name) const {
  state_->require_step("may_change");
  return state_->fault || state_->is_taught(phase, name) || state_->faults.wants(*state_->step, phase, name);
}

void Recorder::tensor(Phase phase, std::string_view name, const TensorView& view, void* writable,
                      const TensorLayout& layout, std::optional<int64_t> place) {
  const int64_t order = state_->offer(phase, name, layout, place);
  const int64_t step = *state_->step;
  if (!state_->capture.faults.empty() && !state_->faults_by_disturb)
    state_->faults.offer(step, phase, std::string(name), view, writable, layout);
  if (state_->fault && writable)
    state_->fault(step, phase, name, view, writable);
  if (state_->capture.wants_sketch(step, phase, name))
    state_->record({step, phase, std::string(name)}, order, view, writable, layout);
  if (writable)
    teach(phase, name, view, writable, layout);
}

void Recorder::disturb(Phase phase, std::string_view name, const TensorView& view, void* writable,
                       const TensorLayout& layout) {
  state_->require_step("disturb");
  if (state_->faults.wants(*state_->step, phase, name))
    state_->faults.offer(*state_->step, phase, std::string(name), view, writable, layout);
}

bool Recorder::wants_teaching(Phase phase, std::string_view name) const {
  state_->require_step("wants_teaching");
  return state_->is_taught(phase, name);
}

void Recorder::teach(Phase phase, std::string_view name, const TensorView& view, void* writable,
                     const TensorLayout& layout) {
  if (wants_teaching(phase, name))
    state_->teacher->teach({*state_->step, phase, std::string(name)}, view, writable, layout);
}

void Recorder::measured(Phase phase, std::string_view name, DType dtype, const Shape& shape,
                        const measure::Measurement& found, const TensorLayout& layout,
                        std::optional<int64_t> place) {
  const int64_t order = state_->offer(phase, name, layout, place);
  require(micro_batch_of(layout) == nullptr, "measured a piece of " + std::string(name));
  require(!wants_elements(phase, name), "measured " + std::string(name) + ", whose elements are wanted");
  if (!wants(phase, name))
    return;
  encode_name(name);
  check_part(shape, layout, name);
  SketchRow row = sketch_row({*state_->step, phase, std::string(name)}, order, dtype, shape, found);
  state_->writer.submit(TraceWriter::Job(
      [row = std::move(row), layout](TraceFile& file) { file.add_sketch(row, layout_of_part(layout)); }));
}

void Recorder::end_step() {
  state_->require_step("end_step");
  const int64_t step = *state_->step;
  state_->faults.end_step(step);
  state_->writer.submit(TraceWriter::Job(
      [step, channels = std::move(state_->channels), pieces = state_->pieces](TraceFile& file) {
        if (const TensorKey* key = pieces->unfinished())
          throw UserError(
              fmt::format("cannot end step {} (a micro-batch did not offer its piece of {}); offer the "
                          "pieces of all micro-batches, or none",
                          step, key->name));
        file.end_step(step, channels);
      }));
  state_->last_step = step;
  state_->step.reset();
}

bool Recorder::wants_operators() const {
  state_->require_step("wants_operators");
  return state_->capture.wants_operators(*state_->step);
}

bool Recorder::wants_operators(Phase phase, std::string_view module) const {
  state_->require_step("wants_operators");
  return state_->capture.wants_operators(*state_->step, phase, module);
}

bool Recorder::wants_micro_batches() const {
  return state_->capture.micro_batches;
}

bool Recorder::wants_replay() const {
  return state_->capture.replay;
}

void Recorder::replay_parameter(std::string_view name, const TensorView& view) {
  if (!state_->capture.replay)
    return;
  std::vector<std::string> place = {"initial", std::string(name)};
  state_->writer.submit(TraceWriter::Job([place = std::move(place), copy = OwnedTensor(view)](
                                             TraceFile& file) { file.add_replay(place, copy.view); }),
                        view.bytes());
}

void Recorder::replay_batch(int64_t step, int64_t micro_batch, std::string_view field,
                            const TensorView& view) {
  if (!state_->capture.replay)
    return;
  std::vector<std::string> place = {"batches", std::to_string(step), std::to_string(micro_batch),
                                    std::string(field)};
  state_->writer.submit(TraceWriter::Job([place = std::move(place), copy = OwnedTensor(view)](
                                             TraceFile& file) { file.add_replay(place, copy.view); }),
                        view.bytes());
}

void Recorder::describe(const Json& recipe) {
  require(recipe.is_object(), "a recipe is a JSON object");
  state_->writer.submit(TraceWriter::Job([recipe](TraceFile& file) { file.describe(recipe); }));
}

void Recorder::failure(const Json& what) {
  state_->failed = true;
  state_->print_faults();
  state_->writer.submit(TraceWriter::Job([what](TraceFile& file) { file.set_failure(what); }));
  state_->writer.drain();
}

void Recorder::finish() {
  require(!state_->step || state_->failed, "finish before the end_step of the last step");
  require(!state_->finished, "finish called twice");
  if (!state_->failed)
    state_->faults.finish();
  state_->print_faults();
  state_->writer.submit(TraceWriter::Job(
      [failed = state_->failed](TraceFile& file) { failed ? file.abandon() : file.finish(); }));
  state_->writer.drain();
  state_->finished = true;
}

}  // namespace parity::trace
