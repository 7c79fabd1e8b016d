// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// libparity-memory.so, loaded into a run by LD_PRELOAD: fills fresh memory with a byte (PARITY_MEMORY_FILL, 0
// to 255), or places large blocks at multiples of PARITY_MEMORY_ALIGNMENT bytes. Both are allowed to any
// allocator, so a program whose bits change reads memory that it never wrote, or depends on addresses. Uses
// glibc's own allocator.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): glibc gave them these names
void* __libc_malloc(size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* __libc_realloc(void* old, size_t size);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace {

/// Size from which a block counts as large: tensors, not the nodes of containers [bytes].
constexpr size_t large = 1024;

int fill = -1;         // the byte; -1: fill nothing
size_t alignment = 0;  // 0: as asked

/// Reads an integer of the environment without allocating; -1 if it is not set.
int number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? -1 : static_cast<int>(std::strtol(text, nullptr, 10));
}

__attribute__((constructor)) void begin() {
  fill = number_of("PARITY_MEMORY_FILL");
  if (const int asked = number_of("PARITY_MEMORY_ALIGNMENT"); asked > 0)
    alignment = static_cast<size_t>(asked);
}

int open_file(const char* path, int flags, unsigned mode) {
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

/// Leaves the file that proves that the process which writes the trace has this library. A wrapper around it
/// that has the library proves nothing.
void note_trace(const char* path) {
  const char *trace = std::getenv("PARITY_TRACE"), *proof = std::getenv("PARITY_MEMORY_PROOF");
  if (path == nullptr || trace == nullptr || proof == nullptr ||
      std::strncmp(path, trace, std::strlen(trace)) != 0)
    return;
  if (const int file = open_file(proof, O_WRONLY | O_CREAT | O_CLOEXEC, 0644); file >= 0)
    ::close(file);
}

void* filled(void* memory, size_t from, size_t size) {
  if (memory != nullptr && fill >= 0 && size > from)
    std::memset(static_cast<char*>(memory) + from, fill, size - from);
  return memory;
}

void* aligned(size_t asked, size_t size) {
  return filled(__libc_memalign(size >= large && alignment > asked ? alignment : asked, size), 0, size);
}

}  // namespace

extern "C" {

void* malloc(size_t size) {
  return size >= large && alignment > 0 ? aligned(alignof(std::max_align_t), size)
                                        : filled(__libc_malloc(size), 0, size);
}

void* realloc(void* old, size_t size) {
  const size_t before = old == nullptr ? 0 : malloc_usable_size(old);
  return filled(__libc_realloc(old, size), before, size);
}

void* memalign(size_t asked, size_t size) {
  return aligned(asked, size);
}

void* aligned_alloc(size_t asked, size_t size) {
  return aligned(asked, size);
}

int open(const char* path, int flags, ...) {
  unsigned mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, unsigned);
    va_end(rest);
  }
  note_trace(path);
  return open_file(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int posix_memalign(void** memory, size_t asked, size_t size) {
  if (asked % sizeof(void*) != 0 || (asked & (asked - 1)) != 0 || asked == 0)
    return EINVAL;
  void* found = aligned(asked, size);
  if (found == nullptr)
    return ENOMEM;
  *memory = found;
  return 0;
}
}
