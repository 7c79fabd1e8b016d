// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/reading_driver.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "harness/trace/hdf5/handle.hpp"

namespace parity::hdf5 {
namespace {

/// Driver information, which HDF5 copies byte by byte. It points to an object that lives while the file is
/// opened.
struct Origin {
  const std::shared_ptr<const trace::SourceFile>* source;
};

/// A file open under this driver. HDF5 casts a pointer to it to its first member.
struct ReadingFile {
  H5FD_t base{};
  std::shared_ptr<const trace::SourceFile> source;
  haddr_t allocated = 0;
};

ReadingFile& reading_of(H5FD_t* file) {
  return *reinterpret_cast<ReadingFile*>(file);
}
const ReadingFile& reading_of(const H5FD_t* file) {
  return *reinterpret_cast<const ReadingFile*>(file);
}

herr_t push_error(hid_t kind, const char* why) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, kind, "%s", why);
  return -1;
}

H5FD_t* open_reading(const char*, unsigned flags, hid_t access, haddr_t) {
  const auto* origin = static_cast<const Origin*>(H5Pget_driver_info(access));
  if (!origin || flags & (H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC)) {
    push_error(H5E_CANTOPENFILE, "this driver only reads");
    return nullptr;
  }
  auto file = std::make_unique<ReadingFile>();
  file->source = *origin->source;
  return &file.release()->base;
}

herr_t close_reading(H5FD_t* file) {
  delete &reading_of(file);
  return 0;
}

/// Compares two open files, which HDF5 must never treat as one: each open reads its own source.
int compare_opens(const H5FD_t* a, const H5FD_t* b) {
  return a == b ? 0 : std::less<>{}(a, b) ? -1 : 1;
}

herr_t query_reading(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated_of(const H5FD_t* file, H5FD_mem_t) {
  return reading_of(file).allocated;
}

herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  reading_of(file).allocated = address;
  return 0;
}

haddr_t end_of(const H5FD_t* file, H5FD_mem_t) {
  return reading_of(file).source->size();
}

herr_t read_source(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* out) {
  const int error = reading_of(file).source->read(address, size, out);
  return error == 0 ? 0 : push_error(H5E_READERROR, std::strerror(error));
}

herr_t refuse_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, const void*) {
  return push_error(H5E_WRITEERROR, "this driver only reads");
}

H5FD_class_t reading_class() {
  H5FD_class_t driver{};
  driver.name = "parity_reading";
  driver.maxaddr = HADDR_MAX >> 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Origin);
  driver.open = open_reading;
  driver.close = close_reading;
  driver.cmp = compare_opens;
  driver.query = query_reading;
  driver.get_eoa = allocated_of;
  driver.set_eoa = allocate;
  driver.get_eof = end_of;
  driver.read = read_source;
  driver.write = refuse_write;
  const H5FD_mem_t kinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), driver.fl_map);
  return driver;
}

}  // namespace

void set_reading_driver(hid_t access, const std::shared_ptr<const trace::SourceFile>& source) {
  static const H5FD_class_t driver = reading_class();
  static const hid_t id = H5FDregister(&driver);
  check(id, "cannot register the driver of files that are read");
  const Origin origin{&source};
  check(H5Pset_driver(access, id, &origin), "cannot choose the driver of files that are read");
}

}  // namespace parity::hdf5
