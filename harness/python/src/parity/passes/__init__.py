# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Forward and backward passes of an update: which module runs, and the tensors and operators of each."""
