// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/trace.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/trace/input_file.hpp"
#include "harness/trace/path_name.hpp"
#include "harness/trace/probe.hpp"
#include "harness/trace/schema.hpp"
#include "harness/trace/sketch_table.hpp"
#include "harness/trace/tensor_index.hpp"
#include "harness/trace/trace_file.hpp"

namespace parity {
namespace fs = std::filesystem;
using hdf5::Handle;

struct Trace::State {
  fs::path path;
  std::string schema;
  bool complete = false;
  int64_t last_step = 0;
  Json config = Json::object();
  Json provenance = Json::object();
  std::optional<Json> failure;
  std::vector<int64_t> steps;
  std::map<std::string, Channel> channels;
  std::vector<SketchRow> sketches;
  std::map<TensorKey, size_t> sketch_index;
  std::map<TensorKey, TensorPlace> tensors;
  std::unique_ptr<MappedFile> mapped;

  void read(const InputFile& file);
  void read_header(const InputFile& file);
  void read_steps(const InputFile& file);
  void read_channels(const InputFile& file);
  void read_all_sketches(const InputFile& file);
};

namespace {

/// The trace of a run folder, or the file itself.
fs::path find_trace(const fs::path& path) {
  if (!fs::is_directory(path))
    return path;
  fs::path whole = path / "trace.h5";
  if (fs::exists(whole))
    return whole;
  if (fs::exists(partial_path(whole)))
    return partial_path(whole);
  throw UserError(
      "no trace in " + path.string() + " (it holds neither trace.h5 nor trace.h5.partial); run first",
      ExitCode::missing);
}

Json parse_json(const InputFile& file, const std::string& attribute) {
  const auto text = hdf5::read_string_attribute(file.root(), attribute);
  if (!text)
    return Json::object();
  Json json = read_json(*text);
  if (!json.is_object())
    file.refuse("its attribute " + attribute + " is not a JSON object");
  return json;
}

/// Values of a channel. A killed run may have rows of a step that it did not end; those are left out.
template <class T>
std::vector<T> cut(const InputFile& file, const std::string& name, std::vector<T> values, size_t steps,
                   bool complete) {
  if (values.size() < steps || (complete && values.size() != steps))
    file.refuse("channel " + name + " has " + std::to_string(values.size()) + " values for " +
                std::to_string(steps) + " steps");
  values.resize(steps);
  return values;
}

}  // namespace

void Trace::State::read_header(const InputFile& file) {
  schema = hdf5::read_string_attribute(file.root(), "schema").value_or("");
  if (schema.empty())
    file.refuse("it has no attribute schema, so it is not a trace");
  if (!schema.starts_with(trace_schema_major))
    file.refuse("its schema is " + schema + ", this program reads " + std::string(trace_schema_major) + "x");
  const std::string status = hdf5::read_string_attribute(file.root(), "status").value_or("");
  if (status != "complete" && status != "partial")
    file.refuse("its status is '" + status + "', not complete or partial");
  complete = status == "complete";
  config = parse_json(file, "config");
  provenance = parse_json(file, "provenance");
  if (hdf5::read_string_attribute(file.root(), "failure"))
    failure = parse_json(file, "failure");
}

void Trace::State::read_steps(const InputFile& file) {
  steps = hdf5::read_integers(file.dataset(file.root(), "steps"));
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i] <= (i ? steps[i - 1] : 0))
      file.refuse("/steps does not increase from 1 on: " + std::to_string(steps[i]) + " at row " +
                  std::to_string(i));
  const int64_t found = steps.empty() ? 0 : steps.back();
  last_step = hdf5::read_integer_attribute(file.root(), "last_step").value_or(found);
  if (last_step > found || (complete && last_step != found))
    file.refuse("its last_step is " + std::to_string(last_step) + ", /steps ends at " +
                std::to_string(found));
  steps.erase(std::upper_bound(steps.begin(), steps.end(), last_step), steps.end());
}

void Trace::State::read_channels(const InputFile& file) {
  const Handle group = file.group(file.root(), "channels");
  for (const std::string& link : file.names(group)) {
    const std::string name = decode_name(link);
    const Handle dataset = file.dataset(group, link);
    if (hdf5::shape_of(dataset).size() != 1)
      file.refuse("channel " + name + " is not a list of numbers");
    Channel channel;
    const std::string kind = hdf5::read_string_attribute(dataset, "kind").value_or("numeric");
    if (kind != "numeric" && kind != "timing")
      file.refuse("channel " + name + " is of kind '" + kind + "', not numeric or timing");
    channel.kind = kind == "timing" ? ChannelKind::timing : ChannelKind::numeric;
    const Handle type(H5Dget_type(dataset), "cannot read the type of channel " + name);
    if (H5Tget_class(type) == H5T_INTEGER)
      channel.values = cut(file, name, hdf5::read_integers(dataset), steps.size(), complete);
    else
      channel.values = cut(file, name, hdf5::read_floats(dataset), steps.size(), complete);
    if (!channels.emplace(name, std::move(channel)).second)
      file.refuse("two of its channels are called '" + name + "' (one name is encoded where it need not)");
  }
}

void Trace::State::read_all_sketches(const InputFile& file) {
  if (!file.has(file.root(), "sketches"))
    return;
  const auto until = complete ? std::nullopt : std::optional(last_step);
  sketches = parity::read_sketches(file, file.group(file.root(), "sketches"), until);
  for (size_t i = 0; i < sketches.size(); ++i)
    if (!sketch_index.emplace(sketches[i].key, i).second)
      file.refuse("it has two sketches of " + sketches[i].key.name + " at step " +
                  std::to_string(sketches[i].key.step));
}

void Trace::State::read(const InputFile& file) {
  read_header(file);
  read_steps(file);
  read_channels(file);
  read_all_sketches(file);
  tensors = read_tensor_index(file, complete ? std::nullopt : std::optional(last_step));
  const auto is_mapped = [](const auto& entry) { return entry.second.offset.has_value(); };
  if (std::any_of(tensors.begin(), tensors.end(), is_mapped))
    mapped = std::make_unique<MappedFile>(file.path(), file.size());
}

std::vector<double> Channel::as_double() const {
  return std::visit([](const auto& list) { return std::vector<double>(list.begin(), list.end()); }, values);
}

Trace Trace::open(const fs::path& path) {
  const auto guard = hdf5::lock();
  auto state = std::make_unique<State>();
  state->path = find_trace(path);
  probe(state->path, [&] { State().read(InputFile(state->path)); });
  state->read(InputFile(state->path));
  return Trace(std::move(state));
}

Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::~Trace() = default;
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;

const fs::path& Trace::path() const {
  return state_->path;
}
const std::string& Trace::schema() const {
  return state_->schema;
}
bool Trace::complete() const {
  return state_->complete;
}
int64_t Trace::last_step() const {
  return state_->last_step;
}
const Json& Trace::config() const {
  return state_->config;
}
const Json& Trace::provenance() const {
  return state_->provenance;
}
const std::optional<Json>& Trace::failure() const {
  return state_->failure;
}
const std::vector<int64_t>& Trace::steps() const {
  return state_->steps;
}
const std::map<std::string, Channel>& Trace::channels() const {
  return state_->channels;
}
const std::vector<SketchRow>& Trace::sketches() const {
  return state_->sketches;
}

const SketchRow* Trace::find_sketch(const TensorKey& key) const {
  const auto found = state_->sketch_index.find(key);
  return found == state_->sketch_index.end() ? nullptr : &state_->sketches[found->second];
}

void Trace::rename_tensors(const std::function<std::string(const std::string&)>& new_name) {
  const auto refuse = [this](const TensorKey& key) {
    throw UserError("two tensors of " + state_->path.string() + " would both be called '" + key.name +
                    "' (the names table maps them to one); give each a name of its own");
  };
  std::map<TensorKey, TensorPlace> tensors;
  for (auto& [key, place] : state_->tensors) {
    const TensorKey renamed{key.step, key.phase, new_name(key.name)};
    if (!tensors.emplace(renamed, std::move(place)).second)
      refuse(renamed);
  }
  state_->tensors = std::move(tensors);
  state_->sketch_index.clear();
  for (size_t i = 0; i < state_->sketches.size(); ++i) {
    TensorKey& key = state_->sketches[i].key;
    key.name = new_name(key.name);
    if (!state_->sketch_index.emplace(key, i).second)
      refuse(key);
  }
}

std::vector<TensorKey> Trace::tensors() const {
  std::vector<TensorKey> keys;
  for (const auto& [key, place] : state_->tensors)
    if (!place.in_parts)
      keys.push_back(key);
  const auto rank = [this](const TensorKey& key) {
    return std::make_tuple(key.step, key.phase, state_->tensors.at(key).order);
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const TensorKey& a, const TensorKey& b) { return rank(a) < rank(b); });
  return keys;
}

bool Trace::has_tensor(const TensorKey& key) const {
  const auto found = state_->tensors.find(key);
  return found != state_->tensors.end() && !found->second.in_parts;
}

TensorView Trace::tensor(const TensorKey& key) const {
  const std::string what = "tensor " + key.name + " (step " + std::to_string(key.step) + ", phase " +
                           std::string(name_of(key.phase)) + ") ";
  const auto found = state_->tensors.find(key);
  if (found == state_->tensors.end())
    throw UserError(what + "is not in " + path().string() + " (the run's capture left it out); record it",
                    ExitCode::missing);
  const TensorPlace& place = found->second;
  if (place.in_parts)
    throw UserError(what + "lies in parts in " + path().string() + " (schema " + schema() +
                    "; this program reads whole tensors); use a newer parity");
  return {place.dtype, place.shape, place.offset ? state_->mapped->at(*place.offset) : place.bytes.data()};
}

}  // namespace parity
