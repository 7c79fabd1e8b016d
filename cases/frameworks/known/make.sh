#!/bin/sh
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes build/known-venv: the environment of frameworks, and older versions of libraries in folders of their own, which an
# arm names in PYTHONPATH.
set -e
root=$(cd "$(dirname "$0")/../../.." && pwd)
frameworks=$root/build/frameworks-venv known=$root/build/known-venv
if [ ! -e "$frameworks/parity-frameworks" ]; then
  echo "$frameworks is not there; make it with: cmake --workflow --preset frameworks" >&2
  exit 3
fi
rm -rf "$known"
"$frameworks/bin/python" -m venv "$known"
place() { "$1/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'), end='')"; }
echo "import site; site.addsitedir('$(place "$frameworks")')" > "$(place "$known")/frameworks.pth"
older() {
  name=$1
  shift
  "$known/bin/python" -m pip install --quiet --no-input --disable-pip-version-check --no-deps \
    --target "$known/versions/$name" "$@"
}
older transformers-4.45.2 transformers==4.45.2 accelerate==1.0.1 huggingface_hub==0.26.5 tokenizers==0.20.3
older torchtitan-0.2.1 torchtitan==0.2.1
older deepspeed-0.18.9 --no-build-isolation deepspeed==0.18.9  # its setup.py imports PyTorch
older transformers-5.16.0 transformers==5.16.0
older torchtune-0.5.0 torchtune==0.5.0 torchao==0.7.0 omegaconf==2.4.0 antlr4-python3-runtime==4.9.3 tiktoken==0.14.0 \
  sentencepiece==0.2.3
