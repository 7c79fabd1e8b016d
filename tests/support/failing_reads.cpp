// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a program, makes one of its reads fail like a broken disk: the FAIL_READ-th read or pread of
// a file whose path contains FAIL_PATH, in the program itself but not in its children.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

namespace {

const pid_t program = ::getpid();

bool fails(int descriptor) {
  static const char* const number = std::getenv("FAIL_READ");
  static const char* const path = std::getenv("FAIL_PATH");
  static long seen = 0;
  if (!number || !path || ::getpid() != program)
    return false;
  char link[64], target[4096];
  char* end = link;
  std::memcpy(end, "/proc/self/fd/", 14);
  end += 14;
  char digits[16];
  int count = 0;
  do
    digits[count++] = static_cast<char>('0' + descriptor % 10);
  while ((descriptor /= 10) > 0);
  while (count > 0)
    *end++ = digits[--count];
  *end = 0;
  const ssize_t length = ::readlink(link, target, sizeof target - 1);
  if (length < 0)
    return false;
  target[length] = 0;
  return std::strstr(target, path) && ++seen == std::atol(number);
}

template <class Call>
Call original(const char* name) {
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* out, size_t size) {
  static const auto call = original<ssize_t (*)(int, void*, size_t)>("read");
  if (fails(descriptor)) {
    errno = EIO;
    return -1;
  }
  return call(descriptor, out, size);
}

ssize_t pread(int descriptor, void* out, size_t size, off_t offset) {
  static const auto call = original<ssize_t (*)(int, void*, size_t, off_t)>("pread");
  if (fails(descriptor)) {
    errno = EIO;
    return -1;
  }
  return call(descriptor, out, size, offset);
}

ssize_t pread64(int descriptor, void* out, size_t size, off64_t offset) {
  static const auto call = original<ssize_t (*)(int, void*, size_t, off64_t)>("pread64");
  if (fails(descriptor)) {
    errno = EIO;
    return -1;
  }
  return call(descriptor, out, size, offset);
}
}
