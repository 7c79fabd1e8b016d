// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Every reader of traces against every mutation of their files: none may report that a damaged trace agrees.
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "harness/api/include/parity/error.hpp"
#include "harness/api/include/parity/judge.hpp"
#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/bisect/commits/trace_gap.hpp"
#include "harness/bisect/traces/search_traces.hpp"
#include "harness/compare/traces/compare_traces.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/trace_log.hpp"
#include "harness/power/gate.hpp"
#include "harness/suite/judge/replica_check.hpp"
#include "harness/suite/runs/left_trace.hpp"
#include "harness/trace/write/join_run.hpp"
#include "tests/attack/file_mutation.hpp"
#include "tests/fuzz/original_traces.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity::attack {
namespace {
namespace fs = std::filesystem;

struct Pair {
  fs::path expected;
  fs::path actual;  ///< damaged
  int ranks;
};

/// A reader of a trace, which reports whether the trace is valid, or agrees with another one.
struct Reader {
  std::string name;
  std::set<Spoils> sees;  ///< without a trace digest
  bool (*agrees)(const Pair& pair);
};

bool agrees_by_compare(const Pair& pair) {
  return compare::compare_traces(trace::Trace::open(pair.expected), trace::Trace::open(pair.actual), {})
      .identical();
}

bool agrees_by_relation(const Pair& pair, bool of_tensors) {
  const trace::Trace a = trace::Trace::open(pair.expected), b = trace::Trace::open(pair.actual);
  compare::Check check;
  check.relation = compare::Relation::identical;
  check.arms = {"a", "b"};
  if (of_tensors)
    check.tensor = "*";
  else
    check.channels = {"*"};
  std::map<std::string, compare::ArmEvidence> arms;
  for (const auto& [name, trace] : {std::pair{"a", &a}, {"b", &b}}) {
    arms[name].trace = trace;
    arms[name].updates = {1, 3};
    arms[name].ranks = pair.ranks;
  }
  return judge(check, arms).passed;
}

/// The public C++ interface judges the same claim.
bool agrees_by_library(const Pair& pair, bool of_tensors) try {
  const api::Trace a = api::Trace::open(pair.expected.string()), b = api::Trace::open(pair.actual.string());
  api::Check check;
  check.relation = api::Relation::identical;
  check.arms = {"a", "b"};
  if (of_tensors)
    check.tensor = "*";
  else
    check.channels = {"*"};
  std::map<std::string, api::Arm> arms;
  for (const auto& [name, trace] : {std::pair{"a", &a}, {"b", &b}}) {
    arms[name].trace = trace;
    arms[name].last_update = 3;
    arms[name].ranks = pair.ranks;
  }
  return api::judge(check, arms).passed;
} catch (const api::Error& error) {
  throw UserError(error.what());
}

bool agrees_by_golden(const Pair& pair) {
  const fs::path file = pair.expected.parent_path() / "golden.h5";
  const trace::Trace recorded = trace::Trace::open(pair.expected);
  std::map<std::string, compare::ArmEvidence> arms;
  arms["a"].trace = &recorded;
  golden::record_golden(file, {"topic/case", "parity 0", "c1", "parity golden record"}, arms, "");
  const trace::Trace run = trace::Trace::open(pair.actual);
  arms["a"].trace = &run;
  const std::vector<golden::GoldenResult> found = verify_golden(golden::stored_golden(file), arms);
  return !found.empty() &&
         std::ranges::all_of(found, [](const golden::GoldenResult& each) { return each.result.passed; });
}

/// The suite accepts a trace that a run left.
bool accepted_by_suite(const Pair& pair) {
  suite::PlannedRun run;
  run.steps = 3;
  run.ranks = pair.ranks;
  return !trace_failure(run, pair.actual);
}

bool agrees_by_replicas(const Pair& pair) {
  const trace::Trace trace = trace::Trace::open(pair.actual);
  const auto found = suite::replica_check("a", trace);
  return trace.complete() && (pair.ranks == 1 || (found && found->result.passed));
}

bool agrees_by_search(const Pair& pair) {
  trace::Trace actual = trace::Trace::open(pair.actual);
  const bisect::SearchRecord record = bisect::search_traces(trace::Trace::open(pair.expected), actual);
  return !record.differs && record.notes.empty();
}

/// Returns what a search over commits reports about the traces of two commits.
bool agrees_by_commits(const Pair& pair) {
  const trace::Trace actual = trace::Trace::open(pair.actual);
  const bisect::TraceGap gap = bisect::gap_between(trace::Trace::open(pair.expected), actual, {});
  return actual.complete() && !actual.failure() && gap.size == 0 && gap.one_sided.empty();
}

compare::Check all_identical(const std::string& channels, const std::string& tensor) {
  compare::Check check;
  check.relation = compare::Relation::identical;
  check.arms = {"a", "b"};
  check.channels = channels.empty() ? std::vector<std::string>() : std::vector{channels};
  check.tensor = tensor;
  return check;
}

/// Returns whether the checks of a case, as a gate, pass with the damaged run in place of an arm.
bool agrees_by_power(const Pair& pair) {
  const fs::path out = pair.actual.parent_path() / "out";
  const suite::RunStore store(out);
  fs::create_directories(store.runs());
  suite::PlannedCase planned;
  std::map<std::string, suite::RunResult> results;
  suite::Case source;
  for (const auto& [name, run, trace] : {std::tuple{"a", "one", &pair.expected},
                                         {"b", "two", &pair.expected},
                                         {"b~fault", "three", &pair.actual}}) {
    fs::create_directory_symlink(fs::absolute(trace->parent_path()), store.folder(run));
    suite::Arm arm;
    arm.name = name;
    source.arms.push_back(arm);
    suite::PlannedArm planned_arm;
    planned_arm.name = name;
    planned_arm.run = run;
    planned_arm.config = {{"steps", 3}};
    planned_arm.ranks = pair.ranks;
    planned.arms.push_back(std::move(planned_arm));
    results[run].folder = store.folder(run);
  }
  source.file = out / "case.toml";
  source.golden_file = out / "golden/case.h5";
  planned.source = source;
  const suite::ArmRuns runs{planned, results, suite::Evidence(planned, results, store)};
  source.arms.pop_back();
  source.checks = {all_identical("*", ""), all_identical("", "*")};
  return power::Gate(source, runs, store).alarms("b", "b~fault").empty();
}

/// Traces of one rank have nothing to join.
bool accepted_by_join(const Pair& pair) {
  if (pair.ranks > 1 && !trace::join_run(pair.actual).complete)
    return false;
  return trace::Trace::open(pair.actual).complete();
}

/// `parity compare` of a log with a trace reports nothing but agreement, and leaves out nothing.
bool agrees_as_log(const Pair& pair) {
  const trace::Trace expected = trace::Trace::open(pair.expected), actual = trace::Trace::open(pair.actual);
  logs::LogFilter filter;
  filter.channels = {"*"};
  const logs::LogDifference found =
      compare_logs(logs::log_of(expected, "a"), logs::log_of(actual, "b"), filter);
  return actual.complete() && !actual.failure() && found.exit_code() == ExitCode::agree &&
         found.steps.all() && found.match.left_out().empty();
}

const std::vector<Reader>& readers() {
  const std::set<Spoils> everything = {Spoils::channels, Spoils::tensors, Spoils::values, Spoils::all,
                                       Spoils::ranks};
  static const std::vector<Reader> all = {
      {"compare", everything, agrees_by_compare},
      {"identical_channels",
       {Spoils::channels, Spoils::all},
       [](const Pair& pair) { return agrees_by_relation(pair, false); }},
      {"identical_tensors",
       {Spoils::tensors, Spoils::values, Spoils::all},
       [](const Pair& pair) { return agrees_by_relation(pair, true); }},
      {"library_channels",
       {Spoils::channels, Spoils::all},
       [](const Pair& pair) { return agrees_by_library(pair, false); }},
      {"library_tensors",
       {Spoils::tensors, Spoils::values, Spoils::all},
       [](const Pair& pair) { return agrees_by_library(pair, true); }},
      {"golden", {Spoils::channels, Spoils::tensors, Spoils::values, Spoils::all}, agrees_by_golden},
      {"log", {Spoils::channels, Spoils::all}, agrees_as_log},
      {"bisect_traces", everything, agrees_by_search},
      {"bisect_commits", everything, agrees_by_commits},
      {"power", {Spoils::channels, Spoils::tensors, Spoils::values, Spoils::all}, agrees_by_power},
      {"suite", {}, accepted_by_suite},
      {"join", {}, accepted_by_join},
      {"replicas", {}, agrees_by_replicas},
  };
  return all;
}

/// The reader that attacks the traces that a source opens.
struct Opener {
  std::string_view source;
  std::string_view reader;  ///< a row of readers()
};

constexpr std::array openers = {
    Opener{"harness/api/facade/trace.cpp", "library_tensors"},
    Opener{"harness/bisect/commits/probe.cpp", "bisect_commits"},
    Opener{"harness/bisect/commits/search.cpp", "bisect_commits"},
    Opener{"harness/bisect/commits/good_golden.cpp", "bisect_commits"},
    Opener{"harness/bisect/versions/probe.cpp", "bisect_commits"},
    Opener{"harness/bisect/runs/search_run.cpp", "bisect_traces"},
    Opener{"harness/cli/bisect/traces.cpp", "bisect_traces"},
    Opener{"harness/cli/compare/traces.cpp", "compare"},
    Opener{"harness/cli/compare/logs.cpp", "log"},
    Opener{"harness/cli/verbs/audit.cpp", "compare"},
    Opener{"harness/cli/verbs/explain.cpp", "compare"},
    Opener{"harness/cli/verbs/join.cpp", "join"},
    Opener{"harness/coverage/survey.cpp", "compare"},
    Opener{"harness/operators/problem/stored_values.cpp", "identical_tensors"},
    Opener{"harness/suite/judge/evidence.cpp", "identical_tensors"},
    Opener{"harness/suite/goldens/check.cpp", "golden"},
    Opener{"harness/suite/runs/left_trace.cpp", "suite"},
    Opener{"harness/suite/repeat_pair.cpp", "suite"},    // the run was judged already
    Opener{"harness/suite/repeats.cpp", "suite"},        // the first run was judged already
    Opener{"harness/trace/write/teacher.cpp", "suite"},  // the suite checks it before another run reads it
};

/// Which proofs inside the damaged file are intact.
enum class Proof { digest, none };

struct AttackedReader {
  Reader reader;
  Proof proof;
};

std::vector<AttackedReader> attacked_readers() {
  std::vector<AttackedReader> all;
  for (const Reader& reader : readers())
    for (const Proof proof : {Proof::digest, Proof::none})
      if (proof == Proof::digest || !reader.sees.empty())
        all.push_back({reader, proof});
  return all;
}

class FilesAttackTest : public FolderTest, public testing::WithParamInterface<AttackedReader> {
 protected:
  /// Two traces of one run, with or without a trace digest; the second one is fresh.
  Pair fresh_pair(int ranks) const {
    const fs::path side = folder / ("original" + std::to_string(ranks));
    if (!fs::exists(side)) {
      fs::create_directories(side);
      fuzz::write_original(ranks == 1 ? 0 : 2, side);
      if (GetParam().proof == Proof::none)
        strip_digests(side, ranks);
    }
    fs::remove_all(folder / "spoilt");
    fs::copy(side, folder / "spoilt");
    return {side / "trace.h5", folder / "spoilt/trace.h5", ranks};
  }

  /// \param problem  receives the error of a reader that rejected the file
  bool agrees(const Pair& pair, std::string& problem) const {
    try {
      return GetParam().reader.agrees(pair);
    } catch (const UserError& error) {
      problem = error.what();
      return false;
    }
  }
};

TEST_P(FilesAttackTest, AgreesOnWholeFiles) {
  for (const int ranks : {1, 2}) {
    std::string problem;
    EXPECT_TRUE(agrees(fresh_pair(ranks), problem)) << ranks << " ranks: " << problem;
  }
}

TEST_P(FilesAttackTest, NeverAgreesOnSpoiltFiles) {
  int tried = 0, refused = 0;
  for (const FileMutation& mutation : file_mutations()) {
    const bool guarded = GetParam().proof == Proof::digest;
    const bool sees = GetParam().reader.sees.contains(mutation.what);
    if (guarded ? mutation.what == Spoils::values && !sees : !sees)
      continue;
    SCOPED_TRACE(mutation.name);
    const Pair pair = fresh_pair(mutation.ranks);
    mutation.apply(pair.actual.parent_path());
    std::string problem;
    EXPECT_FALSE(agrees(pair, problem));
    ++tried;
    refused += problem.empty() ? 0 : 1;
  }
  std::printf("%s, %s: %d mutations, %d refused\n", GetParam().reader.name.c_str(),
              GetParam().proof == Proof::digest ? "with digest" : "without", tried, refused);
  EXPECT_GT(tried, 30);
}

INSTANTIATE_TEST_SUITE_P(Readers, FilesAttackTest, testing::ValuesIn(attacked_readers()),
                         [](const auto& each) {
                           return each.param.reader.name +
                                  (each.param.proof == Proof::digest ? "_with_digest" : "_without");
                         });

TEST(ReadersTest, EverySourceThatOpensATraceHasOne) {
  const fs::path root = places::source;
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / "harness"))
    if (entry.path().extension() == ".cpp" &&
        read_file(entry.path()).find("Trace::open(") != std::string::npos)
      found.insert(fs::relative(entry.path(), root).string());
  found.erase("harness/trace/read/trace.cpp");  // which is where it is
  std::set<std::string> attacked;
  for (const Opener& row : openers) {
    attacked.emplace(row.source);
    EXPECT_TRUE(std::ranges::any_of(readers(), [&](const Reader& each) { return each.name == row.reader; }))
        << row.reader;
  }
  EXPECT_EQ(found, attacked) << "a row of `openers` says which reader of the kit stands for a source";
}

TEST(FileMutationsTest, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const FileMutation& each : file_mutations())
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
}

}  // namespace
}  // namespace parity::attack
