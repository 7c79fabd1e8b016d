// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/content.hpp"

#include <algorithm>

#include "harness/compare/content_bytes.hpp"

namespace parity {
namespace {

void add(ContentBytes& bytes, const GoldenChannels& run) {
  bytes.list(run.steps);
  bytes.number(static_cast<uint64_t>(run.channels.size()));
  for (const auto& [name, channel] : run.channels) {
    bytes.text(name);
    bytes.number(static_cast<uint64_t>(channel.values.index()));
    std::visit([&](const auto& values) { bytes.list(values); }, channel.values);
  }
}

void add(ContentBytes& bytes, const SketchRow& row) {
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

GoldenChannels channels_of(const Trace& trace) {
  GoldenChannels kept{trace.steps(), {}};
  for (const auto& [name, channel] : trace.channels())
    if (channel.kind == ChannelKind::numeric)
      kept.channels.emplace(name, channel);
  return kept;
}

}  // namespace

Json fingerprint_of(const Trace& trace) {
  const Json& provenance = trace.provenance();
  return provenance.is_object() ? provenance.value("fingerprint", Json::object()) : Json::object();
}

GoldenArm content_of(const ArmEvidence& evidence) {
  const Trace& trace = *evidence.trace;
  GoldenArm arm;
  arm.run = channels_of(trace);
  if (evidence.twin)
    arm.twin = channels_of(*evidence.twin);
  arm.config = trace.config();
  arm.fingerprint = fingerprint_of(trace);
  if (trace.steps().empty())
    return arm;
  for (const SketchRow& row : trace.sketches()) {
    const bool kept_phase = row.key.phase == Phase::grad || row.key.phase == Phase::param;
    const bool kept_step = row.key.step == trace.steps().front() || row.key.step == trace.steps().back();
    if (kept_phase && kept_step && trace.has_tensor(row.key))
      trace.tensor(row.key);  // throws if its values are not what the row says
    if (kept_phase && kept_step)
      arm.sketches.push_back(row);
  }
  std::sort(arm.sketches.begin(), arm.sketches.end(),
            [](const SketchRow& a, const SketchRow& b) { return a.key < b.key; });
  return arm;
}

std::string content_digest(const GoldenContent& content) {
  ContentBytes bytes;
  bytes.number(static_cast<uint64_t>(content.size()));
  for (const auto& [name, arm] : content) {
    bytes.text(name);
    add(bytes, arm.run);
    bytes.number(static_cast<uint64_t>(arm.twin ? 1 : 0));
    if (arm.twin)
      add(bytes, *arm.twin);
    bytes.number(static_cast<uint64_t>(arm.sketches.size()));
    for (const SketchRow& row : arm.sketches)
      add(bytes, row);
    bytes.text(arm.config.dump());
  }
  return bytes.digest();
}

}  // namespace parity
