// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// One function for each format that strangers write and parity reads. Bad bytes may end in a UserError,
/// which the function catches. Any other exception is a bug. libFuzzer calls them with bytes that it
/// generates, ordinary tests with those in seeds/<name>/.
namespace parity::fuzz {

void read_case_file(std::string_view bytes);    ///< a case: parsed, and planned against a small schema
void read_trace_file(std::string_view bytes);   ///< a trace: opened, every tensor read
void read_golden_file(std::string_view bytes);  ///< a golden: read, its digest computed
/// Two safetensors files: each is equal to itself, and every rule between both is tried.
void compare_checkpoint_pair(std::string_view bytes);
/// `.metadata` of a folder of torch.distributed.checkpoint; and the directory of a zip archive.
void read_dcp_metadata_file(std::string_view bytes);
void read_log_file(std::string_view bytes);  ///< a log: through the reader of each format
/// A token file of JSON lines: as tokens and as texts.
void read_json_lines_file(std::string_view bytes);
void read_npy_file(std::string_view bytes);          ///< token files, the one header format of our own
void read_safetensors_file(std::string_view bytes);  ///< weights: the header checked, every tensor read
void read_results(std::string_view bytes);           ///< results.json: parsed, and through every renderer
/// A program of mutations (mutated_trace.hpp): a trace and its mutant whose decoded values differ are not
/// identical.
void compare_trace_pair(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

inline constexpr std::array<Target, 11> targets = {{
    {"case_file", read_case_file},
    {"checkpoint_pair", compare_checkpoint_pair},
    {"dcp_metadata", read_dcp_metadata_file},
    {"golden_file", read_golden_file},
    {"json_lines_file", read_json_lines_file},
    {"log_file", read_log_file},
    {"npy_file", read_npy_file},
    {"results", read_results},
    {"safetensors_file", read_safetensors_file},
    {"trace_file", read_trace_file},
    {"trace_pair", compare_trace_pair},
}};

}  // namespace parity::fuzz
