# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Logs of TensorBoard and W&B as JSON lines, for `parity compare` and `parity import`."""
