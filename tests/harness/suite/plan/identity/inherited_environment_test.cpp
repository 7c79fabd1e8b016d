// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/inherited_environment.hpp"

#include <gtest/gtest.h>

namespace parity::suite {
namespace {

std::string hash_of(const std::filesystem::path& file) {
  return "hash of " + file.string();
}

Json identity(const Environment& environment, const std::set<std::string>& replaced = {}) {
  return identity_of_environment(environment, replaced, hash_of);
}

const Environment& plain() {
  static const Environment plain = {{"PATH", "/bin"}, {"HOME", "/home/a"}};
  return plain;
}

Environment with(const std::string& name, const std::string& value) {
  Environment changed = plain();
  changed[name] = value;
  return changed;
}

TEST(InheritedEnvironmentTest, WhatMayChangeNumbers_Counts) {
  for (const char* name : {"LD_PRELOAD",
                           "LD_LIBRARY_PATH",
                           "PYTHONPATH",
                           "PYTHONHASHSEED",
                           "OMP_PROC_BIND",
                           "MKL_DEBUG_CPU_TYPE",
                           "CUDA_VISIBLE_DEVICES",
                           "NCCL_ALGO",
                           "NVIDIA_TF32_OVERRIDE",
                           "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
                           "PATH",
                           "HOME",
                           "LANG",
                           "LC_ALL",
                           "CONDA_PREFIX",
                           "SEED",
                           "MALLOC_PERTURB_",
                           "GLIBC_TUNABLES",
                           "PARITY_EXTRA",
                           "CI_SEED",
                           "BUILD_NUMBER",
                           "BUILD_TAG",
                           "PERF_MODE",
                           "TERMS",
                           "VSCODE",
                           "RUNNER_DTYPE"}) {
    EXPECT_FALSE(is_harmless(name)) << name;
    EXPECT_NE(identity(with(name, "one")), identity(with(name, "two"))) << name;
    EXPECT_NE(identity(with(name, "/bin")), identity({})) << name;
  }
}

TEST(InheritedEnvironmentTest, TwoShellsOfOneMachine_AreEqual) {
  Environment other = plain();
  for (const char* name : {"TERM",
                           "COLUMNS",
                           "SHLVL",
                           "PWD",
                           "OLDPWD",
                           "_",
                           "USER",
                           "SSH_CONNECTION",
                           "TMUX_PANE",
                           "XDG_SESSION_ID",
                           "DISPLAY",
                           "GITHUB_RUN_ID",
                           "NINJA_STATUS",
                           "VSCODE_GIT_IPC_HANDLE",
                           "VSCODE_IPC_HOOK_CLI",
                           "TERM_PROGRAM_VERSION",
                           "GIT_ASKPASS",
                           "BROWSER",
                           "WSL_INTEROP",
                           "KITTY_WINDOW_ID",
                           "CI_JOB_ID",
                           "CI_PIPELINE_IID",
                           "BUILDKITE_BUILD_ID",
                           "CCACHE_DISABLE",
                           "PARITY_OFFSPRING",
                           "PARITY_TRAINER"}) {
    EXPECT_TRUE(is_harmless(name)) << name;
    other[name] = "of the other shell";
  }
  EXPECT_EQ(identity(other), identity(plain()));
}

TEST(InheritedEnvironmentTest, PartOfAHarmlessName_Counts) {
  for (const char* name : {"", " ", "TERM PWD", "ERM", "PW", "TERMINFO"})
    EXPECT_FALSE(is_harmless(name)) << name;
}

TEST(InheritedEnvironmentTest, WhatTheLauncherReplaces_IsLeftOut) {
  EXPECT_EQ(identity(with("RANK", "3"), {"RANK"}), identity(plain()));
}

TEST(InheritedEnvironmentTest, Values_AreNotWrittenDown) {
  EXPECT_EQ(identity(with("TOKEN", "secret")).dump().find("secret"), std::string::npos);
}

TEST(InheritedEnvironmentTest, PreloadedLibraries_CountByContent) {
  const Json found = identity(with("LD_PRELOAD", "libbare.so:/bin/sh /no/such.so"));
  EXPECT_EQ(found.at("preloaded"), (Json{{"/bin/sh", "hash of /bin/sh"}}));
}

TEST(InheritedEnvironmentTest, EntriesThatRunTogether_AreToldApart) {
  EXPECT_NE(identity({{"A", "1"}, {"B", "2"}}), identity({{"A", std::string("1\0B=2", 5)}, {"B", ""}}));
}

}  // namespace
}  // namespace parity::suite
