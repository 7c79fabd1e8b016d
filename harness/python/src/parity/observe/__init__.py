# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a recorder takes from PyTorch: clipping, optimizers, names."""
