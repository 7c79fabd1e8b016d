// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/atomic_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/trace/hdf5/handle.hpp"
#include "harness/trace/hdf5/journal.hpp"

namespace parity::hdf5 {
namespace {

/// A file open under this driver. HDF5 casts a pointer to it to its first member.
struct AtomicFile {
  H5FD_t base{};
  int descriptor = -1;
  haddr_t allocated = 0;  ///< end of the space that HDF5 has allocated
  haddr_t end = 0;        ///< end of the file on disk
  /// errno of the first failed write; the file is not changed after it.
  int failure = 0;
  std::vector<trace::JournalWrite> pending;
  std::unique_ptr<trace::Journal> journal;

  ~AtomicFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
};

AtomicFile& file_of(H5FD_t* file) {
  return *reinterpret_cast<AtomicFile*>(file);
}
const AtomicFile& file_of(const H5FD_t* file) {
  return *reinterpret_cast<const AtomicFile*>(file);
}

/// Puts the system's reason on HDF5's error stack, from which this program's errors take theirs.
herr_t fail(int error) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_WRITEERROR, "%s",
           std::strerror(error));
  return -1;
}

H5FD_t* open_atomic(const char* name, unsigned flags, hid_t, haddr_t) {
  auto file = std::make_unique<AtomicFile>();
  const int mode = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
                   O_CLOEXEC |
                   // O_NOFOLLOW: a symbolic link at this place would redirect the writes.
                   O_NOFOLLOW;
  file->descriptor = ::open(name, mode, 0644);
  struct stat found{};
  if (file->descriptor < 0 || ::fstat(file->descriptor, &found) != 0 ||
      ::flock(file->descriptor, LOCK_EX | LOCK_NB) != 0) {
    fail(errno);
    return nullptr;
  }
  // The file is emptied only under the lock: HDF5 first tries an open without these flags.
  if (flags & H5F_ACC_TRUNC && ::ftruncate(file->descriptor, 0) != 0) {
    fail(errno);
    return nullptr;
  }
  file->end = flags & H5F_ACC_TRUNC ? 0 : static_cast<haddr_t>(found.st_size);
  if (flags & H5F_ACC_RDWR) {
    try {
      file->journal = std::make_unique<trace::Journal>(name);
    } catch (const UserError&) {
      fail(errno);
      return nullptr;
    }
  }
  return &file.release()->base;
}

herr_t close_atomic(H5FD_t* file) {
  delete &file_of(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  struct stat left{}, right{};
  if (::fstat(file_of(a).descriptor, &left) != 0 || ::fstat(file_of(b).descriptor, &right) != 0)
    return -1;
  if (left.st_dev != right.st_dev)
    return left.st_dev < right.st_dev ? -1 : 1;
  return left.st_ino < right.st_ino ? -1 : left.st_ino > right.st_ino;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) {
  return file_of(file).allocated;
}

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  file_of(file).allocated = address;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) {
  return file_of(file).end;
}

/// Reads the file's bytes, with zeros beyond its end and pending writes applied.
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* out) {
  const AtomicFile& own = file_of(file);
  auto* bytes = static_cast<std::byte*>(out);
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(own.descriptor, bytes + done, size - done, static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(errno);
    if (got == 0)
      break;
    done += static_cast<size_t>(got);
  }
  std::fill(bytes + done, bytes + size, std::byte{0});
  for (const trace::JournalWrite& write : own.pending) {
    const haddr_t first = std::max<haddr_t>(address, write.offset);
    const haddr_t stop = std::min<haddr_t>(address + size, write.offset + write.bytes.size());
    if (first < stop)
      std::memcpy(bytes + (first - address), write.bytes.data() + (first - write.offset), stop - first);
  }
  return 0;
}

/// Queues or performs a write. It never fails; the next flush does. An HDF5 object whose last bytes cannot be
/// written does not close and stays in the library's tables, which the library follows when the process ends.
herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size, const void* data) {
  AtomicFile& own = file_of(file);
  if (type != H5FD_MEM_DRAW) {
    const auto* bytes = static_cast<const std::byte*>(data);
    own.pending.push_back({address, {bytes, bytes + size}});
    return 0;
  }
  if (own.failure == 0)
    own.failure = trace::write_fully(own.descriptor, data, size, address);
  if (own.failure == 0)
    own.end = std::max<haddr_t>(own.end, address + size);
  return 0;
}

/// Commits pending writes. The file reaches the length of the allocated space before its new superblock
/// states it, and is truncated to it only afterwards.
/// \return 0 or errno
int commit(AtomicFile& own) {
  if (own.failure != 0 || own.pending.empty())
    return own.failure;
  if (own.end < own.allocated && ::ftruncate(own.descriptor, static_cast<off_t>(own.allocated)) != 0)
    return errno;
  if (const int error = own.journal->commit(own.descriptor, own.pending))
    return error;
  own.pending.clear();
  if (own.end > own.allocated && ::ftruncate(own.descriptor, static_cast<off_t>(own.allocated)) != 0)
    return errno;
  own.end = own.allocated;
  return 0;
}

/// Flushes. The flush of a close does not fail either (see `write`); close_file checks before it closes.
herr_t flush(H5FD_t* file, hid_t, hbool_t closing) {
  AtomicFile& own = file_of(file);
  own.failure = commit(own);
  return own.failure == 0 || closing ? 0 : fail(own.failure);
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "parity_atomic";
  driver.maxaddr = HADDR_MAX >> 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = open_atomic;
  driver.close = close_atomic;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_end;
  driver.read = read;
  driver.write = write;
  driver.flush = flush;
  const H5FD_mem_t kinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), driver.fl_map);
  return driver;
}

}  // namespace

void set_atomic_driver(hid_t access) {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = H5FDregister(&driver);
  check(id, "cannot register the driver of trace files");
  check(H5Pset_driver(access, id, nullptr), "cannot choose the driver of trace files");
}

}  // namespace parity::hdf5
