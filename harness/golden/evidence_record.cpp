// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/evidence_record.hpp"

#include "harness/compare/content_bytes.hpp"

namespace parity::golden {
namespace {

void add_to_digest(compare::ContentBytes& bytes, const EvidenceBinding& binding) {
  bytes.text(binding.check);
  bytes.number(static_cast<uint64_t>(binding.arms.size()));
  for (const ArmBinding& arm : binding.arms)
    for (const std::string* field : {&arm.arm, &arm.resolved, &arm.golden, &arm.judged})
      bytes.text(*field);
}

void add_to_digest(compare::ContentBytes& bytes, const compare::TwinEvidence& twins) {
  bytes.number(static_cast<uint64_t>(twins.measures.size()));
  for (const compare::TwinMeasure& measure : twins.measures) {
    bytes.text(measure.quantity);
    bytes.number(measure.gap);
    bytes.number(measure.norm);
    bytes.number(measure.floor);
    bytes.number(measure.distance_a);
    bytes.number(measure.distance_b);
    bytes.list(measure.noise);
    bytes.number(measure.estimated);
    bytes.text(measure.broken);
  }
  bytes.text(twins.other_path);
}

void add_to_digest(compare::ContentBytes& bytes, const EvidenceOrigin& origin) {
  for (const std::string* field : {&origin.date, &origin.producer, &origin.commit, &origin.environment})
    bytes.text(*field);
  bytes.number(static_cast<uint64_t>(origin.runs.size()));
  for (const std::string& run : origin.runs)
    bytes.text(run);
}

}  // namespace

std::string evidence_digest(const EvidenceRecord& record) {
  compare::ContentBytes bytes;
  bytes.number(evidence_version);
  bytes.text(record.claim);
  add_to_digest(bytes, record.binding);
  bytes.text(std::string(name_of(record.verdict)));
  bytes.number(record.collapse_log2);
  add_to_digest(bytes, record.twins);
  add_to_digest(bytes, record.origin);
  return bytes.digest();
}

}  // namespace parity::golden
