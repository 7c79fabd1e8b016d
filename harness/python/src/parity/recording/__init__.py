# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The Recorder: what it is asked for, and what happens in an update."""
