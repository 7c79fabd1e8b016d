# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a function of PyTorch at each point of an operator case and records what it returns.

`python -m parity.operators FOLDER` is the command of an arm with `python = "FILE.py:FUNCTION"`. FOLDER is that of the
case. PARITY_CONFIG, PARITY_TRACE, PARITY_DTYPE and PARITY_HEARTBEAT are those of any command arm."""
