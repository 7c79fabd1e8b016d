// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/run/recorded_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/json/fields.hpp"
#include "harness/laws/run/rounding.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

double norm_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values)
    sum += value * value;
  return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::quiet_NaN();
}

/// Returns whether a tensor is one of residues, of which no law speaks.
bool has_residues(const trace::Trace& trace, const TensorKey& key) {
  const trace::SketchRow* row = trace.find_sketch(key);
  return (row != nullptr ? row->dtype : trace.unproved_tensor(key).dtype) == DType::residue64;
}

/// Returns what calls that clip were given, by the first update that has them.
std::map<int64_t, const Json*> read_clips(const trace::Trace& trace) {
  std::map<int64_t, const Json*> clips;
  const Json& facts = trace.provenance();
  if (!facts.is_object() || !facts.contains("recipe") || !facts["recipe"].is_object())
    return clips;
  const Json& recipe = facts["recipe"];
  if (recipe.contains("clip") && recipe["clip"].is_object())
    clips[0] = &recipe["clip"];
  if (recipe.contains("clip_changes") && recipe["clip_changes"].is_array())
    for (const Json& change : recipe["clip_changes"])
      if (change.is_object() && change.contains("step") && change["step"].is_number_integer() &&
          change.contains("clip") && (change["clip"].is_object() || change["clip"].is_null()))
        clips[change["step"].get<int64_t>()] = &change["clip"];
  return clips;
}

/// Returns whether a trace of another program has the complete config of parity-train, which a case with arms
/// of both gives to each. Nothing says which of its keys that program follows.
bool has_foreign_config(const trace::Trace& trace) {
  const Json &config = trace.config(), &facts = trace.provenance();
  const std::string producer = facts.is_object() ? text_or(facts, "producer") : "";
  return !producer.starts_with("parity-train") && config.is_object() && config.contains("architecture") &&
         config.contains("parallel") && config.contains("lr");
}

}  // namespace

RecordedRun::RecordedRun(const trace::Trace& trace, const RecordedRun* before)
    : trace_(trace), before_(before), follows_config_(!has_foreign_config(trace)), clips_(read_clips(trace)) {
  std::map<std::pair<int64_t, Phase>, std::set<std::string>> found;
  const auto add = [&](const TensorKey& key) {
    if (key.name.find('@') == std::string::npos && !has_residues(trace, key))
      found[{key.step, key.phase}].insert(key.name);
  };
  for (const trace::SketchRow& row : trace.sketches())
    add(row.key);
  for (const TensorKey& key : trace.tensors())
    add(key);
  for (auto& [place, names] : found)
    names_[place] = {names.begin(), names.end()};
  std::map<Phase, const std::vector<std::string>*> first;
  for (const auto& [place, names] : names_)
    if (place.first > 0 && *first.try_emplace(place.second, &names).first->second == names)
      as_first_.insert(place);
}

bool RecordedRun::has_values(const TensorKey& key) const {
  return trace_.has_tensor(key) && !has_residues(trace_, key);
}

std::optional<double> RecordedRun::channel(const std::string& name, int64_t step) const {
  const auto found = trace_.channels().find(name);
  const auto at = std::ranges::lower_bound(steps(), step);
  if (found == trace_.channels().end() || at == steps().end() || *at != step)
    return std::nullopt;
  const auto i = static_cast<size_t>(at - steps().begin());
  return std::visit([i](const auto& values) { return static_cast<double>(values.at(i)); },
                    found->second.values);
}

const Json* RecordedRun::find_in_config(std::string_view name) const {
  if (!follows_config_)
    return nullptr;
  const Json* place = &trace_.config();
  if (place->is_object() && place->contains(std::string(name)))
    return &place->at(std::string(name));
  while (true) {
    const size_t dot = name.find('.');
    const std::string key(name.substr(0, dot));
    if (!place->is_object() || !place->contains(key))
      return nullptr;
    place = &place->at(key);
    if (dot == std::string_view::npos)
      return place;
    name = name.substr(dot + 1);
  }
}

std::optional<double> RecordedRun::config_number(std::string_view name) const {
  const Json* found = find_in_config(name);
  return found && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

const Json& RecordedRun::clip(int64_t step) const {
  static const Json none = Json::object();
  const auto next = clips_.upper_bound(step);
  return next == clips_.begin() ? none : *std::prev(next)->second;
}

std::optional<double> RecordedRun::max_norm(int64_t step) const {
  const Json& call = clip(step);
  if (call.is_object() && call.contains("value") && !call.contains("max_norm"))
    return std::nullopt;  // a number of the config, such as gradient_clip_val, is then the value
  if (const auto found =
          setting(step, {"max_norm", "max_grad_norm", "clip.max_norm", "grad_clip", "clip_grad",
                         "clip_grad_norm", "gradient_clip_val", "training.max_norm"}))
    return found;
  if (call.is_object())
    if (call.contains("max_norm") && call["max_norm"].is_number())
      return call["max_norm"].get<double>();
  return std::nullopt;
}

std::string RecordedRun::config_text(std::string_view name) const {
  const Json* found = find_in_config(name);
  return !found ? "" : found->is_string() ? found->get<std::string>() : found->dump();
}

std::optional<double> RecordedRun::setting(int64_t step,
                                           std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (const auto value = channel(std::string(name), step))
      return value;
  for (const std::string_view name : names)
    if (const auto value = config_number(name))
      return value;
  return std::nullopt;
}

const std::vector<std::string>& RecordedRun::names(int64_t step, Phase phase) const {
  static const std::vector<std::string> none;
  const auto found = names_.find({step, phase});
  return found == names_.end() ? none : found->second;
}

std::set<std::string> RecordedRun::all_names(Phase phase) const {
  std::set<std::string> all;
  for (const auto& [place, names] : names_)
    if (place.second == phase)
      all.insert(names.begin(), names.end());
  return all;
}

std::vector<double> RecordedRun::values(const TensorKey& key) const {
  const TensorView view = trace_.tensor(key);
  std::vector<double> wide(static_cast<size_t>(view.size()));
  const std::byte* at = view.raw().data();
  const size_t element = size_of(view.dtype);
  for (double& value : wide) {
    value = widen(view.dtype, at);
    at += element;
  }
  return wide;
}

std::optional<double> RecordedRun::norm(const TensorKey& key) const {
  if (const trace::SketchRow* row = trace_.find_sketch(key))
    return row->nan_count + row->inf_count == 0 ? row->norm : std::numeric_limits<double>::quiet_NaN();
  if (has_values(key))
    return norm_of(values(key));
  return std::nullopt;
}

int64_t RecordedRun::size(const TensorKey& key) const {
  if (const trace::SketchRow* row = trace_.find_sketch(key))
    return element_count(row->shape);
  return has_values(key) ? trace_.tensor(key).size() : 0;
}

size_t RecordedRun::dimensions(const TensorKey& key) const {
  if (has_values(key))
    return trace_.tensor(key).shape.size();
  const trace::SketchRow* row = trace_.find_sketch(key);
  return row ? row->shape.size() : 0;
}

double RecordedRun::roundoff(const TensorKey& key) const {
  if (const trace::SketchRow* row = trace_.find_sketch(key))
    return unit_roundoff(row->dtype);
  return unit_roundoff(has_values(key) ? trace_.tensor(key).dtype : DType::float32);
}

}  // namespace parity::laws
