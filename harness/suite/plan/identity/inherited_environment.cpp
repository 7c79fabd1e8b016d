// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/inherited_environment.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <unistd.h>

#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Hexadecimal digits that stay of the hash of one variable: enough to notice a change, too few to guess a
/// secret by.
constexpr size_t value_mark_length = 4;

/// Variables that a CI service or a terminal keeps for itself, and those of the compiler cache.
constexpr std::array<std::string_view, 18> harmless_prefixes = {
    "ALACRITTY_",   "BUILDKITE_", "CCACHE_",      "CI_COMMIT_", "CI_JOB_",         "CI_MERGE_REQUEST_",
    "CI_PIPELINE_", "CI_RUNNER_", "GITHUB_",      "GITLAB_",    "GNOME_TERMINAL_", "ITERM_",
    "KITTY_",       "KONSOLE_",   "TERM_PROGRAM", "VSCODE_",    "WEZTERM_",        "ZELLIJ"};

/// Names with a space on each side, so that a search finds whole names. The header explains them in a table.
constexpr std::string_view harmless =
    " _ SHLVL PWD OLDPWD SHELL HISTFILE HISTSIZE HISTCONTROL PS1 PS2 PROMPT_COMMAND"
    " TERM TERM_SESSION_ID TERMINAL_EMULATOR COLORTERM COLORFGBG COLUMNS LINES LS_COLORS TMUX TMUX_PANE"
    " STY WINDOW WINDOWID VTE_VERSION WT_SESSION WT_PROFILE_ID WSL_INTEROP GPG_TTY NO_COLOR"
    " SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK SSH_AGENT_PID DISPLAY WAYLAND_DISPLAY XAUTHORITY"
    " XDG_SESSION_ID XDG_SESSION_TYPE XDG_SESSION_CLASS XDG_RUNTIME_DIR XDG_SEAT XDG_VTNR"
    " DBUS_SESSION_BUS_ADDRESS INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID MANAGERPID"
    " USER LOGNAME MAIL EDITOR VISUAL PAGER LESS LESSOPEN LESSCLOSE MANPATH BROWSER"
    " GIT_ASKPASS GIT_EDITOR SSH_ASKPASS"
    " NINJA_STATUS CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL MAKEFLAGS MFLAGS MAKELEVEL"
    " RUNNER_TEMP RUNNER_NAME RUNNER_TRACKING_ID"
    " PARITY_TRAINER PARITY_OFFSPRING PARITY_MAX_STEPS PARITY_LOCAL_TRACES ";

/// Returns the hashes of the files that LD_PRELOAD names. A bare name, which the loader looks up, has no
/// hash.
Json preloaded(const Environment& environment, const std::function<std::string(const fs::path&)>& hash_file) {
  Json files = Json::object();
  const auto found = environment.find("LD_PRELOAD");
  if (found == environment.end())
    return files;
  const std::string& list = found->second;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find_first_of(": ", begin), list.size());
    const std::string file = list.substr(begin, end - begin);
    std::error_code error;
    if (file.find('/') != std::string::npos && fs::is_regular_file(file, error))
      files[file] = hash_file(file);
    begin = end + 1;
  }
  return files;
}

}  // namespace

Environment inherited_environment() {
  Environment environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

bool is_harmless(std::string_view variable) {
  return std::ranges::any_of(harmless_prefixes,
                             [&](std::string_view prefix) { return variable.starts_with(prefix); }) ||
         harmless.find(" " + std::string(variable) + " ") != std::string_view::npos;
}

Json identity_of_environment(const Environment& environment, const std::set<std::string>& replaced,
                             const std::function<std::string(const fs::path&)>& hash_file) {
  Json variables = Json::object();
  std::string values;
  for (const auto& [name, value] : environment) {
    if (is_harmless(name) || replaced.contains(name))
      continue;
    variables[name] = content_hash(value).substr(0, value_mark_length);
    values += name + "=" + value + '\0';
  }
  return {{"variables", variables},
          {"values", content_hash(values)},
          {"preloaded", preloaded(environment, hash_file)}};
}

}  // namespace parity::suite
