# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of PyTorch as safetensors files, for `parity compare`. Reading runs no code of a checkpoint."""
