#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Lets the checkout in this folder use the image's virtual environment, unless it has one of its own.
set -euo pipefail
mkdir -p build
if [[ ! -e build/venv ]]; then ln -sfn "${PARITY_IMAGE_VENV:-/opt/parity/venv}" build/venv; fi
