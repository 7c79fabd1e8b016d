// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutated_trace.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "harness/base/error.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/read/rank_files.hpp"
#include "tests/fuzz/hdf5_objects.hpp"

namespace parity::fuzz {
namespace fs = std::filesystem;
namespace {

using hdf5::Handle;

constexpr size_t instruction_bytes = 6;
constexpr size_t most_instructions = 8;

struct Instruction {
  uint8_t operation;
  uint16_t object;
  uint16_t place;
  uint8_t value;
};

/// Turns one element into a number that hides in sums and maxima.
void set_special(StoredBytes& bytes, const Instruction& how) {
  const size_t size = H5Tget_size(bytes.type);
  const size_t at = how.place % (bytes.data.size() / size) * size;
  if (H5Tget_class(bytes.type) != H5T_FLOAT || (size != 4 && size != 8)) {
    std::fill_n(bytes.data.begin() + static_cast<std::ptrdiff_t>(at), size, how.value % 2 ? '\xFF' : '\0');
    return;
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double specials[] = {
      std::numeric_limits<double>::quiet_NaN(), infinite, -infinite, 0.0, -0.0, 1e30, 1e-42};
  const double number = specials[how.value % std::size(specials)];
  const auto single = static_cast<float>(number);
  size == 8 ? std::memcpy(bytes.data.data() + at, &number, 8)
            : std::memcpy(bytes.data.data() + at, &single, 4);
}

void change_bytes(StoredBytes& bytes, const Instruction& how, bool special) {
  if (special)
    set_special(bytes, how);
  else
    bytes.data[how.place % bytes.data.size()] ^= static_cast<char>(how.value ? how.value : 1);
}

void change_dataset(hid_t file, const std::string& path, const Instruction& how, bool special) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "cannot open");
  StoredBytes bytes = read_dataset(dataset);
  if (bytes.data.empty())
    return;
  change_bytes(bytes, how, special);
  hdf5::check(H5Dwrite(dataset, bytes.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data.data()),
              "cannot write");
}

void change_attribute(hid_t file, const std::string& path, const Instruction& how) {
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), "cannot open");
  const std::vector<std::string> names = attributes_of(object);
  if (names.empty())
    return;
  const std::string& name = names[how.value % names.size()];
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "cannot open");
  StoredBytes bytes = read_attribute(attribute);
  if (bytes.data.empty() || H5Tis_variable_str(bytes.type) > 0)
    return;
  change_bytes(bytes, {how.operation, how.object, how.place, static_cast<uint8_t>(how.place >> 8)}, false);
  hdf5::check(H5Awrite(attribute, bytes.type, bytes.data.data()), "cannot write");
}

/// Copies the first bytes of one dataset to another.
void copy_values(hid_t file, const std::string& from, const std::string& to) {
  const Handle source(H5Dopen2(file, from.c_str(), H5P_DEFAULT), "cannot open");
  const Handle target(H5Dopen2(file, to.c_str(), H5P_DEFAULT), "cannot open");
  const StoredBytes bytes = read_dataset(source);
  const StoredBytes before = read_dataset(target);
  if (bytes.data.size() == before.data.size() && !bytes.data.empty())
    hdf5::check(H5Dwrite(target, before.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data.data()),
                "cannot write");
}

/// Adds or removes a row, if a dataset can be resized.
void resize(hid_t file, const std::string& path, const Instruction& how) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "cannot open");
  const Handle made(H5Dget_create_plist(dataset), "cannot read the layout");
  const Handle space(H5Dget_space(dataset), "cannot read the shape");
  hsize_t sizes[H5S_MAX_RANK];
  if (H5Pget_layout(made) != H5D_CHUNKED || H5Sget_simple_extent_dims(space, sizes, nullptr) < 1)
    return;
  sizes[0] = how.value % 2 ? sizes[0] + 1 : sizes[0] - std::min<hsize_t>(sizes[0], 1);
  hdf5::check(H5Dset_extent(dataset, sizes), "cannot resize");
}

std::string renamed(std::string path, const Instruction& how) {
  path.back() = static_cast<char>(how.value % 2 ? 'a' + how.place % 26 : '0' + how.place % 10);
  return path;
}

void apply(hid_t file, const Instruction& how) {
  const auto objects = objects_of(file);
  if (objects.empty())
    return;
  const auto& [path, type] = objects[how.object % objects.size()];
  const auto& [other, other_type] = objects[how.place % objects.size()];
  const bool is_dataset = type == H5O_TYPE_DATASET;
  const std::string name = renamed(path, how);
  switch (how.operation % 9) {
    case 0:
      if (is_dataset)
        change_dataset(file, path, how, false);
      break;
    case 1:
      if (is_dataset)
        change_dataset(file, path, how, true);
      break;
    case 2:
      change_attribute(file, how.place % 4 == 0 ? "/" : path, how);
      break;
    case 3:
      hdf5::check(H5Ldelete(file, path.c_str(), H5P_DEFAULT), "cannot delete");
      break;
    case 4:
      hdf5::check(H5Lmove(file, path.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "cannot move");
      break;
    case 5:
      hdf5::check(H5Ocopy(file, path.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "cannot copy");
      break;
    case 6:
      if (is_dataset && other_type == H5O_TYPE_DATASET)
        copy_values(file, other, path);
      break;
    case 7:
      if (is_dataset)
        resize(file, path, how);
      break;
    default:
      hdf5::check(H5Adelete(file, how.value % 2 ? "status" : "last_step"), "cannot delete");
  }
}

/// Renews the index of ranks, as a writer of the changed files would.
void renew_index(const fs::path& trace) {
  if (!fs::exists(trace::rank_path(trace, 1)))
    return;
  const Handle file(H5Fopen(trace.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "cannot open");
  if (!hdf5::exists(file, "ranks"))
    return;
  hdf5::check(H5Ldelete(file, "ranks", H5P_DEFAULT), "delete");
  trace::write_rank_index(file, trace::finished_rank_files(trace, 2));
}

}  // namespace

void mutate_trace(const fs::path& folder, std::string_view program) {
  const auto lock = hdf5::lock();
  const fs::path trace = folder / "trace.h5";
  bool renews = false;
  for (size_t i = 0; i < most_instructions && program.size() >= instruction_bytes; ++i) {
    Instruction how{static_cast<uint8_t>(program[0]), 0, 0, static_cast<uint8_t>(program[5])};
    std::memcpy(&how.object, program.data() + 1, 2);
    std::memcpy(&how.place, program.data() + 3, 2);
    program.remove_prefix(instruction_bytes);
    renews = renews || how.operation >= 128;
    const bool of_other = how.object >= 0x8000 && fs::exists(trace::rank_path(trace, 1));
    try {
      const Handle file(
          H5Fopen((of_other ? trace::rank_path(trace, 1) : trace).c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
          "cannot open");
      apply(file, how);
    } catch (const UserError&) {
      continue;  // HDF5 refuses it: a name that is taken, a type that cannot be read
    }
  }
  if (renews)
    renew_index(trace);
}

}  // namespace parity::fuzz
