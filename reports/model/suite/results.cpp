// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/suite/results.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/results/json_members.hpp"
#include "harness/results/read_case.hpp"
#include "harness/results/schema.hpp"
#include "reports/model/curves/shown.hpp"
#include "reports/model/curves/thin.hpp"

namespace parity::reports {
namespace {

constexpr size_t most_steps_of_a_picture = 40;

void expect_schema(const results::JsonNode& root) {
  const std::string found = root.at("schema").text();
  if (!results::is_readable(found))
    throw UserError("schema is '" + found + "' (this version reads " + std::string(results::schema) +
                    " and earlier); render the report with the version of parity that wrote the file");
}

/// Reads the members of the file other than its cases.
Results read_suite(const results::JsonNode& root) {
  expect_schema(root);
  Results result;
  if (const auto producer = root.find("producer")) {
    result.version = text_or(*producer, "version");
    result.commit = text_or(*producer, "commit");
    result.dirty = flag_or(*producer, "dirty", false);
  }
  result.command = texts(root, "command");
  result.started = text_or(root, "started");
  result.seconds = number_or(root, "seconds", 0);
  result.environment = object_or_empty(root, "environment");
  static_cast<void>(root.at("cases").items());
  result.interrupted = flag_or(root, "interrupted", false);
  result.is_shard = root.find("shard").has_value();
  result.unfinished = texts(root, "unfinished");
  result.missing_shards =
      list(root, "missing_shards", [](const results::JsonNode& item) { return item.integer(); });
  result.mixed = texts(root, "mixed");
  if (const auto summary = root.find("summary")) {
    result.runs = integer_or(*summary, "runs", 0);
    result.runs_cached = integer_or(*summary, "runs_cached", 0);
  }
  if (const auto goldens = root.find("goldens")) {
    result.golden_files = integer_or(*goldens, "files", 0);
    result.golden_bytes = number_or(*goldens, "bytes", 0);
    result.golden_limit = number_or(*goldens, "limit", 0);
  }
  return result;
}

/// Returns what `read` returns; errors name the file.
template <class Read>
auto from(const std::string& origin, Read read) try {
  return read();
} catch (const Json::exception& error) {
  throw UserError(origin + ": not JSON (" + error.what() +
                  "); the run that wrote it may have been interrupted: run the suite again");
} catch (const UserError& error) {
  throw UserError(origin + ": " + error.what(), error.code());
}

/// The large members of arms and checks that no summary has. They are checked when the whole case is read.
const std::set<std::string, std::less<>> not_in_a_summary = {"config", "provenance", "tensors", "picture"};

Case case_at(size_t place, const Json& json) {
  return results::read_case(json, "cases[" + std::to_string(place) + "]");
}

template <class Number>
size_t sum_of(const std::vector<CaseLine>& cases, Number number) {
  return std::accumulate(cases.begin(), cases.end(), size_t{0},
                         [&](size_t sum, const CaseLine& item) { return sum + item.*number; });
}

}  // namespace

void Results::add(Case item) {
  CaseLine line;
  line.place = cases.size();
  line.passed = item.passed;
  line.seconds = item.seconds;
  line.times = item.times.value_or(CaseTimes());
  line.checks = item.checks.size();
  line.checks_failed = item.checks_failed();
  for (const Arm& arm : item.arms)
    line.arms.push_back(arm.name);
  if (const std::vector<Curve> curves = shown_curves(item); !curves.empty())
    line.curve = thin_curve(curves.front(), most_steps_of_a_picture);
  for (const Arm& arm : item.arms)
    if (arm.failed())
      line.lost_arms.push_back({arm.name, arm.failure->kind, arm.failure->message});
  for (size_t i = 0; i < item.checks.size(); ++i) {
    Check& check = item.checks[i];
    Found& of_finding = found[check.outcome()];
    ++of_finding.number;
    of_finding.failed += check.passed ? 0 : 1;
    line.evidence.add(check.evidence);
    if (is_listed(check)) {
      check.tensors = {};
      check.picture.reset();
      line.listed.push_back({i, std::move(check)});
    } else if (check.against == "golden") {
      ++line.goldens_agree;
    }
  }
  line.name = std::move(item.name);
  line.file = std::move(item.file);
  line.skipped = std::move(item.skipped);
  line.verdict = std::move(item.verdict);
  line.sentence = std::move(item.sentence);
  line.notes = std::move(item.notes);
  if (item.power)
    line.power = std::move(item.power->sentence);
  cases.push_back(std::move(line));
}

size_t Results::cases_failed() const {
  return static_cast<size_t>(std::ranges::count_if(cases, &CaseLine::failed));
}

size_t Results::cases_skipped() const {
  return static_cast<size_t>(
      std::ranges::count_if(cases, [](const CaseLine& item) { return !item.skipped.empty(); }));
}

size_t Results::checks() const {
  return sum_of(cases, &CaseLine::checks);
}

CaseTimes Results::times() const {
  CaseTimes sum;
  for (const CaseLine& item : cases)
    sum.add(item.times);
  return sum;
}

EvidenceShare Results::evidence() const {
  EvidenceShare share;
  for (const CaseLine& item : cases)
    share.add(item.evidence);
  return share;
}

size_t Results::checks_failed() const {
  return sum_of(cases, &CaseLine::checks_failed);
}

ResultsFile::ResultsFile(std::unique_ptr<std::istream> text, std::string origin)
    : origin_(std::move(origin)),
      cases_(from(origin_, [&] { return JsonItems(std::move(text), "cases"); })),
      results_(from(origin_, [&] { return read_suite(results::JsonNode(cases_.rest(), "")); })) {
  for (size_t i = 0; i < cases_.size(); ++i)
    results_.add(from(origin_, [&] { return case_at(i, cases_.item_without(i, not_in_a_summary)); }));
}

Case ResultsFile::whole(size_t place) const {
  return from(origin_, [&] { return case_at(place, cases_.item(place)); });
}

ResultsFile parse_results(const std::string& text, const std::string& origin) {
  return {std::make_unique<std::istringstream>(text), origin};
}

ResultsFile load_results(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none))
    throw UserError(
        "no results at " + file.string() + " (no suite has finished there); run `parity run` first",
        ExitCode::missing);
  return {std::make_unique<std::ifstream>(open_file(file)), file.string()};
}

}  // namespace parity::reports
