// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/include/parity/trace.hpp"

#include "harness/api/facade/inside.hpp"

namespace parity::api {
namespace {

using facade::outer;
using facade::same;
using facade::translated;

Channel outer_channel(const std::string& name, const trace::Channel& channel) {
  return {name, same<ChannelKind>(channel.kind), channel.values};
}

SketchRow outer_row(const trace::SketchRow& row) {
  return {.key = outer(row.key),
          .order = row.order,
          .dtype = same<DType>(row.dtype),
          .shape = row.shape,
          .nan_count = row.nan_count,
          .inf_count = row.inf_count,
          .norm = row.norm,
          .max_abs = row.max_abs,
          .digest = outer(row.digest),
          .values = row.values};
}

ReplicaDifference outer_difference(const trace::ReplicaDifference& found) {
  std::optional<Phase> phase;
  if (found.phase)
    phase = same<Phase>(*found.phase);
  return {found.step,  phase,       found.name,  found.rank,
          found.other, found.index, found.value, found.other_value};
}

}  // namespace

static_assert(name_of(Phase::param) == parity::name_of(trace::Phase::param));
static_assert(static_cast<int>(ChannelKind::per_rank) == static_cast<int>(trace::ChannelKind::per_rank));

Phase phase_named(std::string_view name) {
  return translated([&] { return same<Phase>(parse_enum<trace::Phase>(name)); });
}

std::vector<double> Channel::as_double() const {
  return std::visit([](const auto& list) { return std::vector<double>(list.begin(), list.end()); }, values);
}

Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::~Trace() = default;
Trace::Trace(Trace&& other) noexcept = default;
Trace& Trace::operator=(Trace&& other) noexcept = default;

Trace Trace::open(const std::string& path) {
  return translated([&] { return Trace(std::make_unique<State>(State{trace::Trace::open(path)})); });
}

std::string Trace::path() const {
  return state_->trace.path().string();
}

std::string Trace::schema() const {
  return state_->trace.schema();
}

bool Trace::complete() const {
  return state_->trace.complete();
}

int64_t Trace::last_step() const {
  return state_->trace.last_step();
}

int64_t Trace::ranks() const {
  return state_->trace.ranks();
}

std::vector<int64_t> Trace::steps() const {
  return state_->trace.steps();
}

std::string Trace::config() const {
  return json_text(state_->trace.config());
}

std::string Trace::provenance() const {
  return json_text(state_->trace.provenance());
}

std::optional<std::string> Trace::failure() const {
  if (!state_->trace.failure())
    return std::nullopt;
  return json_text(*state_->trace.failure());
}

std::string Trace::faults() const {
  return json_text(to_json(state_->trace.faults()));
}

std::vector<Channel> Trace::channels() const {
  std::vector<Channel> list;
  for (const auto& [name, channel] : state_->trace.channels())
    list.push_back(outer_channel(name, channel));
  return list;
}

std::optional<Channel> Trace::channel(std::string_view name) const {
  const auto found = state_->trace.channels().find(std::string(name));
  if (found == state_->trace.channels().end())
    return std::nullopt;
  return outer_channel(found->first, found->second);
}

std::vector<SketchRow> Trace::sketches() const {
  std::vector<SketchRow> list;
  for (const trace::SketchRow& row : state_->trace.sketches())
    list.push_back(outer_row(row));
  return list;
}

std::optional<SketchRow> Trace::sketch(const TensorKey& key) const {
  const trace::SketchRow* row = state_->trace.find_sketch(facade::inner(key));
  if (row == nullptr)
    return std::nullopt;
  return outer_row(*row);
}

std::vector<ReplicaDifference> Trace::replica_differences() const {
  std::vector<ReplicaDifference> list;
  for (const trace::ReplicaDifference& found : state_->trace.replica_differences())
    list.push_back(outer_difference(found));
  return list;
}

std::vector<TensorKey> Trace::tensors() const {
  std::vector<TensorKey> list;
  for (const trace::TensorKey& key : state_->trace.tensors())
    list.push_back(outer(key));
  return list;
}

bool Trace::has_tensor(const TensorKey& key) const {
  return state_->trace.has_tensor(facade::inner(key));
}

TensorView Trace::tensor(const TensorKey& key) const {
  return translated([&] { return outer(state_->trace.tensor(facade::inner(key))); });
}

}  // namespace parity::api
