// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Variables by name.
using Environment = std::map<std::string, std::string>;

/// Returns the environment of this process, which a trainer inherits.
Environment inherited_environment();

/// Returns whether a variable cannot change what a trainer computes, because it describes the terminal, the
/// session, the person, the build or the CI job. The value of every other variable belongs to a run's
/// identity.
///
/// | kind           | names                                                                                |
/// | shell          | _ SHLVL PWD OLDPWD SHELL HISTFILE HISTSIZE HISTCONTROL PS1 PS2 PROMPT_COMMAND        |
/// | terminal       | TERM TERM_SESSION_ID TERMINAL_EMULATOR COLORTERM COLORFGBG COLUMNS LINES LS_COLORS   |
/// |                | TMUX TMUX_PANE STY WINDOW WINDOWID VTE_VERSION WT_SESSION WT_PROFILE_ID WSL_INTEROP  |
/// |                | GPG_TTY NO_COLOR TERM_PROGRAM* ALACRITTY_* GNOME_TERMINAL_* ITERM_* KITTY_*          |
/// |                | KONSOLE_* VSCODE_* WEZTERM_* ZELLIJ*                                                 |
/// | session        | SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK SSH_AGENT_PID DISPLAY                |
/// |                | WAYLAND_DISPLAY XAUTHORITY XDG_SESSION_ID XDG_SESSION_TYPE XDG_SESSION_CLASS         |
/// |                | XDG_RUNTIME_DIR XDG_SEAT XDG_VTNR DBUS_SESSION_BUS_ADDRESS INVOCATION_ID             |
/// |                | JOURNAL_STREAM SYSTEMD_EXEC_PID MANAGERPID                                           |
/// | person, tools  | USER LOGNAME MAIL EDITOR VISUAL PAGER LESS LESSOPEN LESSCLOSE MANPATH BROWSER        |
/// |                | GIT_ASKPASS GIT_EDITOR SSH_ASKPASS                                                   |
/// | build          | NINJA_STATUS CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL MAKEFLAGS MFLAGS        |
/// |                | MAKELEVEL CCACHE_*                                                                   |
/// | CI job         | GITHUB_* RUNNER_TEMP RUNNER_NAME RUNNER_TRACKING_ID (GitHub), GITLAB_* CI_COMMIT_*   |
/// |                | CI_JOB_* CI_MERGE_REQUEST_* CI_PIPELINE_* CI_RUNNER_* (GitLab), BUILDKITE_*          |
/// | parity         | PARITY_TRAINER (its content counts), PARITY_OFFSPRING, PARITY_MAX_STEPS,             |
/// |                | PARITY_LOCAL_TRACES                                                                  |
bool is_harmless(std::string_view variable);

/// Returns the share of an environment that belongs to the identity of a run: {"variables": {NAME: MARK},
/// "values": HASH, "preloaded": {FILE: HASH}}.
///
/// One hash covers all values, since some are secrets. A mark is four digits of one value's hash; it shows
/// which variable changed.
/// \param replaced   variables that the launcher sets itself, so that a trainer never sees these values
/// \param hash_file  hashes the libraries that LD_PRELOAD names
Json identity_of_environment(const Environment& environment, const std::set<std::string>& replaced,
                             const std::function<std::string(const std::filesystem::path&)>& hash_file);

}  // namespace parity::suite
