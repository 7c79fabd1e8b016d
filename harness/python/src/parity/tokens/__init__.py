# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Texts to token files, with the tokenizer of a Hugging Face model."""
