# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The C functions of libparity-recorder.so, and the values that they take."""
