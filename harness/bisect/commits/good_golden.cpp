// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/good_golden.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/trace/write/recorder.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

/// Returns the golden's path in git; nothing if it is outside the repository's work tree.
std::optional<std::string> path_in(const suite::Git& git, const fs::path& file) {
  const fs::path relative =
      fs::absolute(file).lexically_normal().lexically_relative(fs::absolute(git.folder()).lexically_normal());
  if (relative.empty())
    return std::nullopt;
  return relative.generic_string();
}

void write_trace(const fs::path& file, const golden::GoldenArm& arm) {
  fs::create_directories(file.parent_path());
  trace::Recorder recorder({file, arm.config, Json::object(), {}, 0});
  for (size_t i = 0; i < arm.run.steps.size(); ++i) {
    recorder.begin_step(arm.run.steps[i]);
    for (const auto& [name, channel] : arm.run.channels)
      std::visit([&, &key = name](const auto& values) { recorder.channel(key, values.at(i)); },
                 channel.values);
    recorder.end_step();
  }
  recorder.finish();
}

}  // namespace

GoodGolden read_good_golden(const suite::Git& git, const Commit& good, const suite::Case& source,
                            const std::vector<std::string>& arms, const fs::path& folder) {
  GoodGolden found;
  const std::optional<std::string> path = path_in(git, source.golden_file);
  if (!path || !git.succeeds({"cat-file", "-e", good.id + ":./" + *path})) {
    found.problem = fmt::format("{} has no golden of {}", good.short_id(), source.name);
    return found;
  }
  try {
    const golden::Golden golden = golden::read_intact_golden(git.extract(good.id, *path));
    for (const std::string& name : arms)
      if (const auto arm = golden.arms.find(name); arm != golden.arms.end()) {
        const fs::path file = folder / suite::content_hash(name).substr(0, 8) / "trace.h5";
        write_trace(file, arm->second);
        found.traces[name] = file;
        found.fingerprints[name] = arm->second.fingerprint;
      }
    if (found.traces.empty())
      found.problem = fmt::format("the golden of {} does not contain any of the arms", good.short_id());
  } catch (const UserError& error) {
    found.problem = fmt::format("the golden of {} cannot be read ({})", good.short_id(), error.what());
  }
  return found;
}

GoldenWord compare_with_golden(const GoodGolden& golden, const CommitAnswer& answer,
                               const std::vector<std::string>& channels) {
  GoldenWord word;
  for (const auto& [arm, file] : golden.traces) {
    const auto run = answer.traces.find(arm);
    if (run == answer.traces.end())
      continue;
    const trace::Trace trace = trace::Trace::open(run->second);
    const Json here = golden::fingerprint_of(trace);
    const Json& there = golden.fingerprints.at(arm);
    if (!here.empty() && !there.empty() && here != there)
      word.same_environment = false;
    const TraceGap gap = gap_between(trace::Trace::open(file), trace, channels);
    if (!gap.recorded_otherwise.empty() || gap.only_settings)
      throw UserError(
          fmt::format("cannot compare {} with its golden (they share no loss and no tensor); use the run as "
                      "the reference with --no-golden",
                      arm));
    if (gap.first && !word.first) {
      word.first = gap.first;
      word.arm = arm;
    }
  }
  return word;
}

}  // namespace parity::bisect
