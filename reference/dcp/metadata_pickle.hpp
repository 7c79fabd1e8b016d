// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reference/dcp/metadata.hpp"

namespace parity::reference {

/// Reads the bytes of `.metadata`, which PyTorch or the trainer wrote, without running any of them. Every
/// chunk has its place, and every tensor all its chunks (check_chunks).
/// \throws FormatError with the cause, if the bytes are cut short or say something else
/// Source: torch.distributed.checkpoint.metadata, its classes and their fields, in PyTorch 2.1 to 2.11.
DcpMetadata read_dcp_metadata(std::string_view bytes);

/// Returns the bytes of `.metadata` for PyTorch's reader and for read_dcp_metadata().
std::string write_dcp_metadata(const DcpMetadata& metadata);

}  // namespace parity::reference
