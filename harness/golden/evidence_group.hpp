// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/golden/evidence_record.hpp"
#include "harness/trace/hdf5/input_file.hpp"

namespace parity {

/// What a golden file holds of float64 twins.
struct GoldenEvidence {
  std::vector<EvidenceRecord> records;
  std::string problem;  ///< "its evidence of 'X' does not give its digest"; "" if all is as it was recorded
};

/// Writes group /evidence of a golden file; golden_file.hpp has its layout.
void write_evidence(hid_t file, const GoldenEvidence& evidence);

/// Reads it. Records whose digest does not hold are left out and named in `problem`. A file without the
/// group, or with one of another version, holds no evidence.
GoldenEvidence read_evidence(const InputFile& file);

/// Whether a golden file says that it has evidence; nothing of it is verified. False for what cannot be read.
bool has_evidence(const std::filesystem::path& file);

}  // namespace parity
