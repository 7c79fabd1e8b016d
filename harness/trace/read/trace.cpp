// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/trace.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/read/logical_tensors.hpp"
#include "harness/trace/read/rank_channels.hpp"
#include "harness/trace/read/rank_files.hpp"
#include "harness/trace/read/read_trace_file.hpp"
#include "harness/trace/read/tensor_proof.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {
namespace fs = std::filesystem;

struct Trace::State {
  std::unique_ptr<TraceContent> own;                  ///< the file that was opened
  std::vector<std::unique_ptr<TraceContent>> others;  ///< files of ranks 1, 2, ...
  LogicalTensors logical;
  std::map<TensorKey, size_t> sketch_index;
  std::map<TensorKey, std::vector<RankRow>> rank_rows;
  std::map<int64_t, std::map<std::string, Channel>> rank_channels;
  std::mutex joining;

  /// Returns a tensor. \throws UserError if it is not in the trace as a whole
  LogicalTensor& find(const TensorKey& key);
};

namespace {

/// Returns the trace of a run folder, or the file itself.
/// \throws UserError if there is only what a run left that did not end
fs::path find_trace(const fs::path& path) {
  std::error_code none;
  if (!fs::exists(path, none) && fs::exists(partial_path(path), none))
    throw UserError(
        fmt::format("cannot read {} (its run did not end, and left {}); compare that file with --partial",
                    path.string(), partial_path(path).string()),
        ExitCode::missing);
  if (!fs::is_directory(path, none))
    return path;
  fs::path whole = path / "trace.h5";
  if (fs::exists(whole, none))
    return whole;
  if (fs::exists(partial_path(whole), none))
    return partial_path(whole);
  throw UserError(
      fmt::format("cannot read a trace from {} (it has neither trace.h5 nor trace.h5.partial); run it first",
                  path.string()),
      ExitCode::missing);
}

/// Returns the tensors that a single file holds as a whole.
LogicalTensors own_tensors(TraceContent& file) {
  LogicalTensors logical;
  logical.sketches = std::move(file.sketches);
  for (const auto& [key, place] : file.tensors) {
    LogicalTensor tensor;
    tensor.order = place.order;
    tensor.shape = place.shape;
    if (!place.in_parts)
      tensor.parts.push_back({&file, &place, nullptr});
    logical.tensors.emplace(key, std::move(tensor));
  }
  return logical;
}

void add_rank_rows(std::map<TensorKey, std::vector<RankRow>>& rows, const TraceContent& file) {
  for (const SketchRow& row : file.sketches)
    rows[row.key].push_back({file.rank, row.order, row.digest, row.norm, row.nan_count, std::nullopt});
  for (const PartRow& part : file.part_sketches)
    rows[part.row.key].push_back({file.rank, part.row.order, part.row.digest, part.row.norm,
                                  part.row.nan_count, file.layouts.at(static_cast<size_t>(part.layout))});
}

}  // namespace

Trace Trace::open(const fs::path& path) {
  auto state = std::make_unique<State>();
  state->own = read_trace_file(find_trace(path));
  TraceContent& own = *state->own;
  std::vector<const TraceContent*> files = {&own};
  if (own.rank == 0 && own.ranks > 1) {
    state->others = own.complete ? read_rank_files(own) : read_left_files(own);
    for (const auto& other : state->others)
      files.push_back(other.get());
    for (const TraceContent* file : files) {
      add_rank_rows(state->rank_rows, *file);
      state->rank_channels[file->rank] = file->channels;
    }
    state->logical = join_ranks(files, own.complete ? PartsWanted::all : PartsWanted::left);
  } else if (own.ranks == 1 && !own.part_sketches.empty()) {
    // No other rank has the rest of its parts: a tensor that they do not cover must not be left out in
    // silence.
    add_rank_rows(state->rank_rows, own);
    state->logical = join_ranks(files, PartsWanted::all);
  } else {
    add_rank_rows(state->rank_rows, own);
    state->logical = own_tensors(own);
    std::ranges::stable_sort(state->logical.sketches, {},
                             [](const SketchRow& row) { return std::pair(row.key.step, row.order); });
  }
  own.channels = join_channels(files);
  for (const auto& other : state->others)
    add(own.faults, other->faults);
  for (size_t i = 0; i < state->logical.sketches.size(); ++i)
    state->sketch_index.emplace(state->logical.sketches[i].key, i);
  return Trace(std::move(state));
}

Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::~Trace() = default;
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;

const fs::path& Trace::path() const {
  return state_->own->path;
}
const std::string& Trace::schema() const {
  return state_->own->schema;
}
bool Trace::complete() const {
  return state_->own->complete;
}
int64_t Trace::last_step() const {
  return state_->own->last_step;
}
const Json& Trace::config() const {
  return state_->own->config;
}
const Json& Trace::provenance() const {
  return state_->own->provenance;
}
const std::optional<Json>& Trace::failure() const {
  return state_->own->failure;
}
const std::vector<FaultReport>& Trace::faults() const {
  return state_->own->faults;
}
int64_t Trace::ranks() const {
  return state_->own->ranks;
}
int64_t Trace::joined_ranks() const {
  return state_->own->joined_ranks;
}
int64_t Trace::replicas_compared() const {
  return state_->logical.replicas;
}
int64_t Trace::replica_settings() const {
  return state_->logical.replica_settings;
}
const std::vector<ReplicaDifference>& Trace::replica_differences() const {
  return state_->logical.differences;
}
const std::vector<int64_t>& Trace::steps() const {
  return state_->own->steps;
}
const std::map<std::string, Channel>& Trace::channels() const {
  return state_->own->channels;
}
const std::vector<SketchRow>& Trace::sketches() const {
  return state_->logical.sketches;
}

const SketchRow* Trace::find_sketch(const TensorKey& key) const {
  const auto found = state_->sketch_index.find(key);
  return found == state_->sketch_index.end() ? nullptr : &state_->logical.sketches[found->second];
}

const std::map<int64_t, std::map<std::string, Channel>>& Trace::rank_channels() const {
  return state_->rank_channels;
}

const std::map<TensorKey, std::vector<RankRow>>& Trace::rank_rows() const {
  return state_->rank_rows;
}

void Trace::rename_tensors(const std::function<std::string(const std::string&)>& new_name) {
  const auto refuse = [this](const TensorKey& key) {
    throw UserError(
        fmt::format("cannot rename the tensors of {} (two of them would be called '{}'); give each its own "
                    "name in the names table",
                    path().string(), key.name));
  };
  LogicalTensors& logical = state_->logical;
  std::map<TensorKey, LogicalTensor> tensors;
  for (auto& [key, tensor] : logical.tensors) {
    const TensorKey renamed{key.step, key.phase, new_name(key.name)};
    if (!tensors.emplace(renamed, std::move(tensor)).second)
      refuse(renamed);
  }
  logical.tensors = std::move(tensors);
  std::map<TensorKey, std::vector<RankRow>> rank_rows;
  for (auto& [key, rows] : state_->rank_rows)
    rank_rows[{key.step, key.phase, new_name(key.name)}] = std::move(rows);
  state_->rank_rows = std::move(rank_rows);
  for (ReplicaDifference& difference : logical.differences)
    if (difference.phase)
      difference.name = new_name(difference.name);
  state_->sketch_index.clear();
  for (size_t i = 0; i < logical.sketches.size(); ++i) {
    TensorKey& key = logical.sketches[i].key;
    key.name = new_name(key.name);
    if (!state_->sketch_index.emplace(key, i).second)
      refuse(key);
  }
}

std::vector<TensorKey> Trace::tensors() const {
  std::vector<TensorKey> keys;
  for (const auto& [key, tensor] : state_->logical.tensors)
    if (!tensor.parts.empty())
      keys.push_back(key);
  const auto place = [this](const TensorKey& key) {
    return std::make_tuple(key.step, key.phase, state_->logical.tensors.at(key).order);
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const TensorKey& a, const TensorKey& b) { return place(a) < place(b); });
  return keys;
}

bool Trace::has_tensor(const TensorKey& key) const {
  const auto found = state_->logical.tensors.find(key);
  return found != state_->logical.tensors.end() && !found->second.parts.empty();
}

LogicalTensor& Trace::State::find(const TensorKey& key) {
  const auto refuse = [&](const std::string& why_and_hint, ExitCode code) {
    throw UserError(fmt::format("cannot read tensor {} of step {}, phase {}, from {} ({}", key.name, key.step,
                                name_of(key.phase), own->path.string(), why_and_hint),
                    code);
  };
  const auto found = logical.tensors.find(key);
  if (found == logical.tensors.end())
    refuse("the capture of the run left it out); record it", ExitCode::missing);
  if (found->second.parts.empty() && own->ranks > 1)
    refuse("it is sharded and a rank recorded no shard of it); run it to its end", ExitCode::bad_input);
  if (found->second.parts.empty())
    refuse(
        fmt::format("it is sharded in a way that this program does not know, schema {}); use a newer parity",
                    own->schema),
        ExitCode::bad_input);
  return found->second;
}

TensorView Trace::tensor(const TensorKey& key) const {
  LogicalTensor& tensor = state_->find(key);
  const std::lock_guard guard(state_->joining);
  tensor.prove(key);
  return tensor.view(key);
}

std::optional<TensorView> Trace::rank_tensor(const TensorKey& key, int64_t rank) const {
  const TraceContent* file = state_->own->rank == rank ? state_->own.get() : nullptr;
  for (const auto& other : state_->others)
    if (other->rank == rank)
      file = other.get();
  const auto found = file ? file->tensors.find(key) : decltype(file->tensors.end())();
  if (!file || found == file->tensors.end() || (found->second.in_parts && !found->second.layout))
    return std::nullopt;
  const TensorPlace& place = found->second;
  if (place.digest) {
    const auto layout = static_cast<size_t>(place.layout.value_or(0));
    const PartCover* cover = place.layout ? &file->covers[layout] : nullptr;
    check_digest(*file, place, key,
                 digest_of_values(*file, place, cover,
                                  place.layout ? file->layouts[layout].global_shape : place.shape));
  }
  return file->view(place);
}

TensorView Trace::unproved_tensor(const TensorKey& key) const {
  LogicalTensor& tensor = state_->find(key);
  const std::lock_guard guard(state_->joining);
  return tensor.view(key);
}

bool Trace::is_proved(const TensorKey& key) const {
  const LogicalTensor& tensor = state_->find(key);
  const std::lock_guard guard(state_->joining);
  return tensor.proved || !tensor.is_whole() || !tensor.parts.front().place->digest;
}

void Trace::prove(const TensorKey& key, const measure::Digest& found) const {
  LogicalTensor& tensor = state_->find(key);
  const std::lock_guard guard(state_->joining);
  tensor.prove(key, found);
}

void Trace::release(const std::byte* data, size_t bytes) const {
  if (state_->own->mapped)
    state_->own->mapped->release(data, bytes);
  for (const auto& other : state_->others)
    if (other->mapped)
      other->mapped->release(data, bytes);
}

}  // namespace parity::trace
