// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/content.hpp"

#include <algorithm>
#include <utility>

#include "harness/compare/content_bytes.hpp"
#include "harness/trace/format/sketch_row.hpp"

namespace parity::golden {
namespace {

void add(compare::ContentBytes& bytes, const GoldenChannels& run) {
  bytes.list(run.steps);
  bytes.number(static_cast<uint64_t>(run.channels.size()));
  for (const auto& [name, channel] : run.channels) {
    bytes.text(name);
    bytes.number(static_cast<uint64_t>(channel.values.index()));
    std::visit([&](const auto& values) { bytes.list(values); }, channel.values);
  }
}

void add(compare::ContentBytes& bytes, const trace::SketchRow& row) {
  bytes.number(row.key.step);
  bytes.text(std::string(name_of(row.key.phase)));
  bytes.text(row.key.name);
  bytes.text(std::string(name_of(row.dtype)));
  bytes.list(row.shape);
  bytes.number(row.nan_count);
  bytes.number(row.inf_count);
  bytes.number(row.norm);
  bytes.number(row.max_abs);
  bytes.number(row.digest.low);
  bytes.number(row.digest.high);
  bytes.list(row.values);
}

GoldenChannels channels_of(const trace::Trace& trace) {
  GoldenChannels kept{trace.steps(), {}};
  for (const auto& [name, channel] : trace.channels())
    if (channel.kind == trace::ChannelKind::numeric)
      kept.channels.emplace(name, channel);
  return kept;
}

/// Returns the members of `given` that `config` lacks, at any depth.
Json keys_beyond(const Json& given, const Json& config) {
  Json beyond = Json::object();
  for (const auto& [key, value] : given.items()) {
    const auto found = config.find(key);
    if (found == config.end()) {
      beyond[key] = value;
    } else if (value.is_object() && found->is_object()) {
      if (Json inner = keys_beyond(value, *found); !inner.empty())
        beyond[key] = std::move(inner);
    }
  }
  return beyond;
}

}  // namespace

Json GoldenArm::known_config() const {
  Json known = given.is_object() ? given : Json::object();
  if (config.is_object())
    known.update(config, true);
  return known;
}

void keep_config(GoldenArm& arm, const compare::ArmEvidence& evidence) {
  arm.config = evidence.trace->config();
  arm.given = nullptr;
  if (!evidence.given.is_object())
    return;
  Json beyond = keys_beyond(evidence.given, arm.config);
  if (!beyond.empty() || arm.config.empty())
    arm.given = std::move(beyond);
}

Json fingerprint_of(const trace::Trace& trace) {
  const Json& provenance = trace.provenance();
  return provenance.is_object() ? provenance.value("fingerprint", Json::object()) : Json::object();
}

std::set<int64_t> kept_steps(const std::vector<int64_t>& steps) {
  return steps.empty() ? std::set<int64_t>() : std::set{steps.front(), steps.back()};
}

std::set<int64_t> steps_with_tensors(const GoldenArm& golden) {
  std::set<int64_t> steps = kept_steps(golden.run.steps);
  for (const trace::SketchRow& row : golden.sketches)
    steps.insert(row.key.step);
  return steps;
}

std::vector<trace::SketchRow> kept_rows(const trace::Trace& trace, const std::set<int64_t>& steps) {
  const auto is_kept = [&](const trace::TensorKey& key) {
    return (key.phase == trace::Phase::grad || key.phase == trace::Phase::param) && steps.contains(key.step);
  };
  std::vector<trace::SketchRow> rows;
  for (const trace::SketchRow& row : trace.sketches())
    if (is_kept(row.key)) {
      if (trace.has_tensor(row.key))
        trace.tensor(row.key);  // throws if the values do not match the row
      rows.push_back(row);
    }
  for (const trace::TensorKey& key : trace.tensors())
    if (is_kept(key) && !trace.find_sketch(key)) {
      const TensorView view = trace.tensor(key);
      rows.push_back(sketch_row(key, 0, view.dtype, view.shape, measure::measure_tensor(view)));
    }
  std::sort(rows.begin(), rows.end(),
            [](const trace::SketchRow& a, const trace::SketchRow& b) { return a.key < b.key; });
  return rows;
}

GoldenArm content_of(const compare::ArmEvidence& evidence) {
  const trace::Trace& trace = *evidence.trace;
  GoldenArm arm;
  arm.run = channels_of(trace);
  if (evidence.twin)
    arm.twin = channels_of(*evidence.twin);
  keep_config(arm, evidence);
  arm.fingerprint = fingerprint_of(trace);
  arm.sketches = kept_rows(trace, kept_steps(trace.steps()));
  return arm;
}

std::string content_digest(const GoldenContent& content) {
  compare::ContentBytes bytes;
  bytes.number(static_cast<uint64_t>(content.size()));
  for (const auto& [name, arm] : content) {
    bytes.text(name);
    add(bytes, arm.run);
    bytes.number(static_cast<uint64_t>(arm.twin ? 1 : 0));
    if (arm.twin)
      add(bytes, *arm.twin);
    bytes.number(static_cast<uint64_t>(arm.sketches.size()));
    for (const trace::SketchRow& row : arm.sketches)
      add(bytes, row);
    bytes.text(arm.config.dump());
  }
  return bytes.digest();
}

}  // namespace parity::golden
