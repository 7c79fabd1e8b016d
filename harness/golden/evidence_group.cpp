// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/evidence_group.hpp"

#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/trace/hdf5/hdf5.hpp"

namespace parity::golden {
using hdf5::Handle;
namespace {

/// Returns measures as a column per field, which is shorter than a row per quantity.
Json json_of_evidence(const std::vector<compare::TwinMeasure>& measures) {
  Json columns;
  for (const compare::TwinMeasure& measure : measures) {
    columns["quantity"].push_back(measure.quantity);
    columns["gap64"].push_back(measure.gap);
    columns["norm64"].push_back(measure.norm);
    columns["floor"].push_back(measure.floor);
    columns["distance_a"].push_back(measure.distance_a);
    columns["distance_b"].push_back(measure.distance_b);
    columns["noise"].push_back(measure.noise);
    columns["estimated"].push_back(measure.estimated);
  }
  return columns;
}

/// Parses measures. \throws Json::exception if there are no columns, or their lengths differ
std::vector<compare::TwinMeasure> measures_of(const Json& columns) {
  std::vector<compare::TwinMeasure> measures(columns.at("quantity").size());
  for (size_t i = 0; i < measures.size(); ++i)
    measures[i] = {.quantity = columns.at("quantity").at(i),
                   .gap = columns.at("gap64").at(i),
                   .norm = columns.at("norm64").at(i),
                   .floor = columns.at("floor").at(i),
                   .distance_a = columns.at("distance_a").at(i),
                   .distance_b = columns.at("distance_b").at(i),
                   .noise = columns.at("noise").at(i),
                   .estimated = columns.at("estimated").at(i),
                   .broken = {}};
  return measures;
}

Json json_of_evidence(const EvidenceRecord& record) {
  Json arms = Json::array();
  for (const ArmBinding& arm : record.binding.arms)
    arms.push_back(
        {{"arm", arm.arm}, {"resolved", arm.resolved}, {"golden", arm.golden}, {"judged", arm.judged}});
  return {{"claim", record.claim},
          {"check", record.binding.check},
          {"arms", arms},
          {"verdict", name_of(record.verdict)},
          {"collapse_log2", json_number(record.collapse_log2)},
          {"twins", json_of_evidence(record.twins.measures)},
          {"other_path", record.twins.other_path},
          {"date", record.origin.date},
          {"producer", record.origin.producer},
          {"commit", record.origin.commit},
          {"environment", record.origin.environment},
          {"runs", record.origin.runs},
          {"digest", evidence_digest(record)}};
}

/// Parses a record. \throws Json::exception or UserError if it is not an evidence record
EvidenceRecord record_of(const Json& json) {
  EvidenceRecord record;
  record.claim = json.at("claim");
  record.binding.check = json.at("check");
  for (const Json& arm : json.at("arms"))
    record.binding.arms.push_back({arm.at("arm"), arm.at("resolved"), arm.at("golden"), arm.at("judged")});
  record.verdict = parse_enum<compare::Verdict>(json.at("verdict").get<std::string>());
  record.collapse_log2 = number_of(json.at("collapse_log2"));
  record.twins.measures = measures_of(json.at("twins"));
  record.twins.other_path = json.at("other_path");
  record.origin = {json.at("date"), json.at("producer"), json.at("commit"), json.at("environment"),
                   json.at("runs")};
  return record;
}

/// Adds one record, or sets `problem` to the reason why it is invalid.
void add_record(GoldenEvidence& evidence, const std::string& text, size_t number) try {
  const Json json = parity::read_json(text);
  EvidenceRecord record = record_of(json);
  if (json.at("digest") == evidence_digest(record))
    evidence.records.push_back(std::move(record));
  else
    evidence.problem =
        fmt::format("its evidence of '{}' does not match its digest", escape_to_line(record.claim));
} catch (const Json::exception&) {
  evidence.problem = fmt::format("record {} of its evidence is malformed", number);
} catch (const UserError&) {
  evidence.problem = fmt::format("record {} of its evidence is malformed", number);
}

}  // namespace

void write_evidence(hid_t file, const GoldenEvidence& evidence) {
  const Handle group = hdf5::create_group(file, "evidence");
  hdf5::write_attribute(group, "version", evidence_version);
  std::string lines;
  for (const EvidenceRecord& record : evidence.records)
    lines += json_text(json_of_evidence(record)) + "\n";
  hdf5::write_contiguous(group, "records", hdf5::fixed_string_type(lines.size()), {1}, lines.data());
}

GoldenEvidence read_evidence(const trace::InputFile& file) {
  GoldenEvidence evidence;
  if (!file.has(file.root(), "evidence"))
    return evidence;
  const Handle group = file.group(file.root(), "evidence");
  if (hdf5::read_integer_attribute(group, "version") != evidence_version)
    return evidence;
  size_t number = 0;
  for (const std::string& text : hdf5::read_strings(file.dataset(group, "records"))) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      add_record(evidence, line, ++number);
  }
  return evidence;
}

bool has_evidence(const std::filesystem::path& path) {
  const auto guard = hdf5::lock();
  try {
    const trace::InputFile file(path, trace::Links::refused);
    return file.has(file.root(), "evidence");
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace parity::golden
