// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/hdf5/hdf5.hpp"

namespace parity::fuzz {

/// Stored bytes of a dataset or attribute, and the type to write them back with.
struct StoredBytes {
  hdf5::Handle type;
  std::string data;
};

/// Returns path and kind of every group and dataset of a file, in order of name.
std::vector<std::pair<std::string, H5O_type_t>> objects_of(hid_t file);
std::vector<std::string> attributes_of(hid_t object);
StoredBytes read_dataset(hid_t dataset);
StoredBytes read_attribute(hid_t attribute);

}  // namespace parity::fuzz
