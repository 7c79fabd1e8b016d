#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Names the cache of the build: hash of the sources that it compiles, and the folder of ccache.
set -euo pipefail
cd "$GITHUB_ACTION_PATH/../../.."
hash=$(find CMakeLists.txt harness reports reference -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
{
  printf 'hash=%s\n' "${hash%% *}"
  printf 'ccache=%s\n' "${RUNNER_TEMP:?}/parity-ccache"
} >>"$GITHUB_OUTPUT"
