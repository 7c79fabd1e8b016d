// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/golden/evidence_record.hpp"
#include "harness/trace/hdf5/input_file.hpp"

namespace parity::golden {

/// The evidence of float64 twins in a golden file.
struct GoldenEvidence {
  std::vector<EvidenceRecord> records;
  /// What is wrong: "its evidence of 'X' does not give its digest". "" if all is as recorded.
  std::string problem;
};

/// Writes group /evidence of a golden file; golden_file.hpp documents its layout.
void write_evidence(hid_t file, const GoldenEvidence& evidence);

/// Reads group /evidence. Records whose digest does not match are left out and named in `problem`. A file
/// without the group, or with another version of it, holds no evidence.
GoldenEvidence read_evidence(const trace::InputFile& file);

/// Returns whether a golden file has evidence, without verifying it. False for a file that cannot be read.
bool has_evidence(const std::filesystem::path& file);

}  // namespace parity::golden
