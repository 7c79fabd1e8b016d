#!/bin/sh
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs one test of an adapter in the environment of frameworks, or ends with 77, "skipped", if nobody has made it.
#
# Usage: run.sh ENVIRONMENT NAME SOURCE_DIR PARITY RECORDER_LIBRARY
if [ ! -e "$1/parity-frameworks" ]; then
  echo "SKIPPED: $1 is not there; make it with: cmake --workflow --preset frameworks"
  exit 77
fi
python=$1/bin/python test=$(dirname "$0")/$2_test.py
shift 2
exec "$python" "$test" "$@"
