#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds parity from the commit of this action into $BUILD, and names the program in the step's outputs.
set -euo pipefail
cd "$GITHUB_ACTION_PATH/../../.."

case $INPUT_TRAINER in
  true) reference=ON targets=(parity parity-train) ;;
  false) reference=OFF targets=(parity) ;;
  *)
    printf '::error title=parity::the input trainer is true or false, not %q\n' "$INPUT_TRAINER"
    exit 2
    ;;
esac
options=("-DPARITY_REFERENCE=$reference" -DPARITY_BUILD_TESTS=OFF -DPARITY_CUDA=OFF)

as_root=()
if [[ $(id -u) != 0 ]]; then as_root=(sudo); fi
if [[ ! $(command -v cmake) || ! $(command -v g++) || ! $(command -v python3) ]]; then
  "${as_root[@]}" apt-get -qq update
  "${as_root[@]}" apt-get -qq install -y --no-install-recommends cmake g++ python3 git >/dev/null
fi
"${as_root[@]}" cmake "${options[@]}" -P harness/cmake/bootstrap.cmake
if [[ ${#as_root[@]} != 0 ]]; then sudo chown -R "$(id -u):$(id -g)" build; fi

# Another compiler than the one of our CI may warn about more.
cmake -S . -B "$BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPARITY_WERROR=OFF -DPARITY_BOOTSTRAP=OFF "${options[@]}"
cmake --build "$BUILD" --target "${targets[@]}"
printf 'program=%s\n' "$BUILD/bin/parity" >>"$GITHUB_OUTPUT"
