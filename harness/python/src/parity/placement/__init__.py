# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Which part of a logical tensor this rank holds. Nothing here communicates with another rank."""
