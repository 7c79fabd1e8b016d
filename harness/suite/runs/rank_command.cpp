// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/rank_command.hpp"

#include "harness/suite/plan/command_words.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

std::vector<std::string> expand_command(const PlannedRun& run, const RunStore& store) {
  const fs::path folder = fs::absolute(store.folder(run.id));
  std::vector<std::string> argv = expand_case_words(run);
  for (std::string& word : argv) {
    replace_all(word, "{run_dir}", folder.string());
    replace_all(word, "{config}", (folder / "config.json").string());
    for (const auto& [arm, id] : run.trace_of)
      replace_all(word, "{trace:" + arm + "}", fs::absolute(store.trace(id)).string());
  }
  return argv;
}

bool restarts(const PlannedRun& run) {
  return run.restart_after > 0 && run.restart_after < run.last_step();
}

std::vector<std::string> span_arguments(const PlannedRun& run, const RunStore& store, int leg) {
  std::vector<std::string> words;
  const RunSpan& span = run.span;
  if (leg == 1)
    words.emplace_back("--resume");
  if (restarts(run) && leg == 0)
    words.insert(words.end(), {"--stop-after", std::to_string(run.restart_after)});
  else if (span.stop_after > 0)
    words.insert(words.end(), {"--stop-after", std::to_string(span.stop_after)});
  if (span.checkpoint_every > 0)
    words.insert(words.end(), {"--checkpoint-every", std::to_string(span.checkpoint_every)});
  if (!span.start_run.empty())
    words.insert(words.end(), {"--start-from", store.checkpoint(span.start_run, span.start_step).string()});
  return words;
}

}  // namespace parity::suite
