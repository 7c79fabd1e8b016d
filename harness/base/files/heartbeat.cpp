// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/heartbeat.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity {
namespace {

constexpr size_t length = 256;  // of the file: an object, then spaces
constexpr size_t longest_word = 48;

}  // namespace

Heartbeat::Heartbeat(const std::filesystem::path& given, int64_t rank) {
  if (given.empty())
    return;
  std::string file = given.string();
  constexpr std::string_view placeholder = "{rank}";
  if (const size_t at = file.find(placeholder); at != std::string::npos)
    file.replace(at, placeholder.size(), std::to_string(rank));
  write_file(file, "{}" + std::string(length - 3, ' ') + "\n");  // no page is missing when it is mapped
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  void* const memory = descriptor < 0
                           ? MAP_FAILED
                           : ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int problem = errno;
  if (descriptor >= 0)
    ::close(descriptor);
  if (memory == MAP_FAILED)
    throw UserError("cannot write a heartbeat to " + file + " (" + std::strerror(problem) +
                    "); name a file of an ordinary file system in PARITY_HEARTBEAT");
  memory_ = static_cast<char*>(memory);
}

Heartbeat::~Heartbeat() {
  if (memory_ != nullptr)
    ::munmap(memory_, length);
}

void Heartbeat::beat(int64_t step, std::string_view phase, std::string_view waits_in) {
  step_ = step;
  phase_ = phase;
  waits_in_ = waits_in;
  write();
}

void Heartbeat::collective(int64_t number, std::string_view waits_in) {
  collectives_ = number;
  waits_in_ = waits_in;
  write();
}

void Heartbeat::write() {
  if (memory_ == nullptr)
    return;
  std::array<char, length> line;
  line.fill(' ');
  line.back() = '\n';
  fmt::format_to_n(line.begin(), length - 1,
                   R"({{"step": {}, "phase": "{}", "collectives": {}, "waits_in": "{}"}})", step_,
                   phase_.substr(0, longest_word), collectives_, waits_in_.substr(0, longest_word));
  std::memcpy(memory_, line.data(), length);
}

}  // namespace parity
