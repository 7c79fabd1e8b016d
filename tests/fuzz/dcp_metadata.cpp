// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/dcp/metadata.hpp"
#include "reference/dcp/metadata_pickle.hpp"
#include "reference/dcp/pickle/value.hpp"
#include "reference/dcp/zip_checksums.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {

void read_dcp_metadata_file(std::string_view bytes) {
  try {
    const reference::DcpMetadata metadata = reference::read_dcp_metadata(bytes);
    const std::string written = reference::write_dcp_metadata(metadata);
    require(reference::write_dcp_metadata(reference::read_dcp_metadata(written)) == written,
            "metadata that change when they are written");
  } catch (const reference::FormatError& error) {
    require(is_utf8(error.what()), "a message that is no UTF-8");
  }
  try {
    reference::check_zip_checksums(bytes);
  } catch (const reference::FormatError& error) {
    require(is_utf8(error.what()), "a message that is no UTF-8");
  }
}

}  // namespace parity::fuzz
