// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/golden_file.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/golden/floors_group.hpp"
#include "harness/golden/seal.hpp"
#include "harness/golden/unsealed.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/input_file.hpp"
#include "harness/trace/hdf5/path_name.hpp"
#include "harness/trace/hdf5/probe.hpp"
#include "harness/trace/read/sketch_table.hpp"

namespace parity::golden {
namespace fs = std::filesystem;
using hdf5::Handle;
namespace {

void write_channels(hid_t group, const GoldenChannels& run) {
  const auto rows = static_cast<int64_t>(run.steps.size());
  hdf5::write_contiguous(group, "steps", H5T_STD_I64LE, {rows}, run.steps.data());
  const Handle channels = hdf5::create_group(group, "channels");
  for (const auto& [name, channel] : run.channels) {
    const bool integer = std::holds_alternative<std::vector<int64_t>>(channel.values);
    std::visit(
        [&](const auto& values) {
          hdf5::write_contiguous(channels, trace::encode_name(name), integer ? H5T_STD_I64LE : H5T_IEEE_F64LE,
                                 {static_cast<int64_t>(values.size())}, values.data());
        },
        channel.values);
  }
}

void write_arm(hid_t group, const GoldenArm& arm) {
  hdf5::write_attribute(group, "config", arm.config.dump());
  hdf5::write_attribute(group, "fingerprint", arm.fingerprint.dump());
  if (!arm.given.is_null())
    hdf5::write_attribute(group, "given", arm.given.dump());
  write_channels(group, arm.run);
  if (!arm.sketches.empty())
    write_sketches(hdf5::create_group(group, "sketches"), arm.sketches, trace::SketchLayout::finished);
  if (arm.twin)
    write_channels(hdf5::create_group(group, "twin"), *arm.twin);
}

/// Writes variants under numbers with leading zeros, because link names sort as text.
void write_variants(hid_t group, const std::vector<GoldenContent>& variants) {
  for (size_t i = 0; i < variants.size(); ++i) {
    const Handle arms = hdf5::create_group(group, fmt::format("{:02}", i));
    for (const auto& [name, arm] : variants[i])
      write_arm(hdf5::create_group(arms, trace::encode_name(name)), arm);
  }
}

GoldenChannels read_channels(const trace::InputFile& file, hid_t group) {
  GoldenChannels run;
  run.steps = hdf5::read_integers(file.dataset(group, "steps"));
  const Handle channels = file.group(group, "channels");
  for (const std::string& link : file.names(channels)) {
    const Handle dataset = file.dataset(channels, link);
    const Handle type(H5Dget_type(dataset), "cannot read the type of " + link);
    trace::Channel channel;
    if (H5Tget_class(type) == H5T_INTEGER)
      channel.values = hdf5::read_integers(dataset);
    else
      channel.values = hdf5::read_floats(dataset);
    const size_t count = std::visit([](const auto& values) { return values.size(); }, channel.values);
    if (count != run.steps.size())
      file.refuse(fmt::format("channel {} has {} values for {} steps", link, count, run.steps.size()));
    run.channels.emplace(trace::decode_name(link), std::move(channel));
  }
  return run;
}

Json read_json_attribute(const trace::InputFile& file, hid_t object, const std::string& name) {
  const Json json = read_json(hdf5::read_string_attribute(object, name).value_or(""));
  if (json.is_discarded())
    file.refuse(fmt::format("attribute {} of {} is not JSON", name, hdf5::path_of(object)));
  return json;
}

GoldenArm read_arm(const trace::InputFile& file, hid_t group) {
  GoldenArm arm;
  arm.run = read_channels(file, group);
  arm.config = read_json_attribute(file, group, "config");
  arm.fingerprint = read_json_attribute(file, group, "fingerprint");
  if (hdf5::read_string_attribute(group, "given")) {
    arm.given = read_json_attribute(file, group, "given");
    if (!arm.given.is_object())
      file.refuse(fmt::format("attribute given of {} is not an object", hdf5::path_of(group)));
  }
  if (file.has(group, "sketches"))
    arm.sketches = read_sketches(file, file.group(group, "sketches"));
  if (file.has(group, "twin"))
    arm.twin = read_channels(file, file.group(group, "twin"));
  return arm;
}

std::vector<GoldenContent> read_variants(const trace::InputFile& file) {
  std::vector<GoldenContent> variants;
  if (!file.has(file.root(), "variants"))
    return variants;
  const Handle all = file.group(file.root(), "variants");
  for (const std::string& number : file.names(all)) {
    const Handle arms = file.group(all, number);
    GoldenContent& variant = variants.emplace_back();
    for (const std::string& link : file.names(arms))
      variant.emplace(trace::decode_name(link), read_arm(file, file.group(arms, link)));
  }
  return variants;
}

GoldenHistory history_of(const trace::InputFile& file) {
  if (!hdf5::read_string_attribute(file.root(), "history"))
    return {};
  const auto history = read_history(read_json_attribute(file, file.root(), "history"));
  if (!history)
    file.refuse("attribute history is not a list of changes");
  return *history;
}

[[noreturn]] void refuse_schema(const fs::path& path, const std::string& schema, const std::string& producer,
                                const std::string& source) {
  throw UserError(
      fmt::format("cannot read {} (its schema is '{}', expected {}; it was written by {}); read it with that "
                  "program, or, "
                  "to accept the values of this one: {}",
                  path.string(), escape_to_line(schema), golden_schema,
                  producer.empty() ? "another program" : escape_to_line(producer),
                  shell_quote({"parity", "golden", "record", escape_to_line(source), "--reason", "WHY"})));
}

Golden read_existing(const fs::path& path) {
  const trace::InputFile file(path, trace::Links::refused);
  const auto word = [&](const char* name) {
    return hdf5::read_string_attribute(file.root(), name).value_or("");
  };
  if (!word("schema").starts_with(golden_schema_major))
    refuse_schema(path, word("schema"), word("producer"), word("case"));
  Golden golden;
  golden.origin = {word("case"), word("producer"), word("commit"), word("command")};
  golden.stored_digest = word("content");
  golden.history = history_of(file);
  const std::optional<bool> seal = seal_holds(file);
  golden.sealed = seal.value_or(false);
  if (!golden.sealed)
    golden.seal_problem = seal ? "its values are intact, but its other bytes do not match its seal"
                               : problem_without_seal(file, word("schema"));
  const Handle arms = file.group(file.root(), "arms");
  for (const std::string& link : file.names(arms))
    golden.arms.emplace(trace::decode_name(link), read_arm(file, file.group(arms, link)));
  golden.variants = read_variants(file);
  golden.floors = read_floors(file);
  golden.evidence = read_evidence(file);
  return golden;
}

/// Reads a written golden again before it replaces the previous one.
void check_written(const fs::path& written, const fs::path& path, const Golden& golden) {
  std::string problem = "it reads back differently";
  try {
    const Golden found = read_existing(written);
    if (found.sealed && found.content_intact() && found.stored_digest == content_digest(golden.arms))
      return;
  } catch (const UserError& error) {
    problem = error.what();
  }
  throw UserError(
      fmt::format("cannot write {} ({}); the previous file is unchanged: check the disk and record again",
                  path.string(), problem));
}

}  // namespace

const GoldenArm& Golden::side_for(const std::string& arm, const Json& environment) const {
  const GoldenArm& stored = arms.at(arm);
  if (stored.fingerprint != environment)
    for (const GoldenContent& variant : variants)
      if (const auto found = variant.find(arm);
          found != variant.end() && found->second.fingerprint == environment)
        return found->second;
  return stored;
}

std::string damage_text(const Golden& golden, const fs::path& file) {
  std::string what = golden.evidence.problem;
  if (!golden.content_intact())
    what = fmt::format("its values have the digest {}, expected {}", content_digest(golden.arms),
                       golden.stored_digest);
  else if (what.empty())
    what = golden.seal_problem;
  return fmt::format(
      "golden {} was edited or damaged ({}); restore it from version control, or record it again",
      file.string(), what);
}

Golden read_golden(const fs::path& path) {
  const auto guard = hdf5::lock();
  std::error_code error;
  if (!fs::exists(path, error))
    throw UserError(
        fmt::format("there is no golden {}; record it with 'parity golden record'", path.string()),
        ExitCode::missing);
  trace::probe(path, [&] { read_existing(path); });
  return read_existing(path);
}

Golden read_intact_golden(const fs::path& path) {
  Golden golden = read_golden(path);
  if (!golden.intact())
    throw UserError(damage_text(golden, path));
  return golden;
}

StoredGolden stored_golden(const fs::path& file) {
  try {
    Golden golden = read_golden(file);
    if (!golden.intact()) {
      std::string problem = damage_text(golden, file);
      return {file, std::nullopt, std::move(problem), std::move(golden)};
    }
    return {file, std::move(golden), ""};
  } catch (const UserError& error) {
    const char* const how = error.code() == ExitCode::missing ? "" : ", or restore it from version control";
    return {file, std::nullopt, std::string(error.what()) + how};
  }
}

std::optional<std::vector<std::string>> arms_under_seal(const fs::path& path) {
  const auto guard = hdf5::lock();
  const trace::InputFile file(path, trace::Links::refused);
  const std::string schema = hdf5::read_string_attribute(file.root(), "schema").value_or("");
  if (!schema.starts_with(golden_schema_major) || !seal_holds(file).value_or(false))
    return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& link : file.names(file.group(file.root(), "arms")))
    names.push_back(trace::decode_name(link));
  return names;
}

bool holds_floors_alone(const fs::path& path) {
  try {
    const auto arms = arms_under_seal(path);
    return arms && arms->empty();
  } catch (const UserError&) {
    return false;
  }
}

void write_golden(const fs::path& path, const Golden& golden) {
  const auto guard = hdf5::lock();
  TemporaryFile temporary(path);
  Handle file = hdf5::open_file(temporary.path(), hdf5::Access::create_small);
  hdf5::write_attribute(file, "schema", golden_schema);
  hdf5::write_attribute(file, "case", golden.origin.case_name);
  hdf5::write_attribute(file, "producer", golden.origin.producer);
  hdf5::write_attribute(file, "commit", golden.origin.commit);
  hdf5::write_attribute(file, "command", golden.origin.command);
  hdf5::write_attribute(file, "content", content_digest(golden.arms));
  hdf5::write_attribute(file, "history", history_json(golden.history).dump());
  {
    const Handle arms = hdf5::create_group(file, "arms");
    for (const auto& [name, arm] : golden.arms)
      write_arm(hdf5::create_group(arms, trace::encode_name(name)), arm);
  }
  if (!golden.variants.empty())
    write_variants(hdf5::create_group(file, "variants"), golden.variants);
  if (!golden.floors.empty())
    write_floors(file, golden.floors);
  if (!golden.evidence.records.empty())
    write_evidence(file, golden.evidence);
  const uint64_t seal = add_seal(file);
  hdf5::close_file(file, path);
  close_seal(temporary.path(), seal);
  check_written(temporary.path(), path, golden);
  temporary.take_place();
}

}  // namespace parity::golden
