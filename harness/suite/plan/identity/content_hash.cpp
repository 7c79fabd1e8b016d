// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/content_hash.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/measure/tensor/digest.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Returns the hash of the bytes as 64-bit words: the last one padded with zeros, followed by the byte count.
std::string hash_64_bit_words(const char* data, size_t size) {
  const size_t whole = size / 8;
  measure::Digest digest;
  if (whole > 0)
    digest = measure::digest_of({DType::int64, {static_cast<int64_t>(whole)}, data});
  int64_t rest[2] = {0, static_cast<int64_t>(size)};
  std::memcpy(&rest[0], data + whole * 8, size % 8);
  digest += measure::digest_of({DType::int64, {2}, rest}, whole);
  return measure::to_string(digest);
}

/// The coarsest clock of a file system (FAT) ticks every two seconds.
constexpr std::chrono::seconds slowest_tick{2};

}  // namespace

std::string hash_of_contents(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts = {};
  if (file < 0 || ::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    const std::string why = file < 0 ? std::strerror(errno) : "it is not a file";
    if (file >= 0)
      ::close(file);
    throw UserError(
        fmt::format("cannot read {} ({}); the identity of a run depends on its contents", path.string(), why),
        ExitCode::missing);
  }
  const auto size = static_cast<size_t>(facts.st_size);
  void* data = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  ::close(file);
  if (data == MAP_FAILED)
    throw UserError(fmt::format("cannot map {} ({})", path.string(), std::strerror(errno)));
  ::posix_madvise(data, size, POSIX_MADV_SEQUENTIAL);
  const std::string hash = hash_64_bit_words(size > 0 ? static_cast<const char*>(data) : "", size);
  if (size > 0)
    ::munmap(data, size);
  return hash;
}

namespace {

/// Returns whether a file could change again without changing its stamp.
bool just_changed(const fs::path& path) {
  struct stat facts = {};
  timespec now = {};
  if (::stat(path.c_str(), &facts) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0)
    return true;
  return std::max(facts.st_mtim.tv_sec, facts.st_ctim.tv_sec) + slowest_tick.count() >= now.tv_sec;
}

}  // namespace

std::string file_stamp(const fs::path& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    throw UserError(fmt::format("cannot read {} (it is not a file); give the path of a file", path.string()));
  if (::stat(path.c_str(), &facts) != 0)
    throw UserError(
        fmt::format("cannot read {} ({}); give the path of a file", path.string(), std::strerror(errno)),
        ExitCode::missing);
  return std::to_string(facts.st_size) + "@" + std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec) + "/" + std::to_string(facts.st_ctim.tv_sec) + "." +
         std::to_string(facts.st_ctim.tv_nsec) + "#" + std::to_string(facts.st_dev) + ":" +
         std::to_string(facts.st_ino);
}

std::string content_hash(std::string_view bytes) {
  const std::string aligned(bytes);
  return hash_64_bit_words(aligned.data(), aligned.size());
}

ContentHashes::ContentHashes(fs::path memory) : memory_(std::move(memory)) {
  std::error_code error;
  if (fs::is_regular_file(memory_, error))
    entries_ = read_json(read_file(memory_));
  if (!entries_.is_object())
    entries_ = Json::object();
}

ContentHashes::~ContentHashes() {
  try {
    if (changed_)
      write_file(memory_, json_text(entries_, 1));
  } catch (const UserError&) {
    changed_ = false;  // the next run hashes again
  }
}

std::string ContentHashes::of_file(const fs::path& file) {
  const std::string path = fs::absolute(file).lexically_normal().string();
  const std::string stamp = file_stamp(file);
  const Json& known = entries_[path];
  if (text_or(known, "stamp") == stamp && !text_or(known, "hash").empty())
    return text_or(known, "hash");
  const bool settled = !just_changed(file);
  const std::string hash = hash_of_contents(file);
  if (settled) {
    entries_[path] = {{"stamp", stamp}, {"hash", hash}};
    changed_ = true;
  }
  return hash;
}

std::string ContentHashes::of_path(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return of_file(path);
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_directory() && entry.is_symlink())
      throw UserError(fmt::format("cannot hash {} (it is a link to a folder); put the files themselves in {}",
                                  entry.path().string(), path.string()));
    if (!entry.is_directory())
      files[entry.path().lexically_relative(path).generic_string()] = of_file(entry.path());
  }
  return content_hash("folder " + Json(files).dump(-1, ' ', true, Json::error_handler_t::replace));
}

namespace {

/// Returns what ldd prints on standard output and error of a program, through a file that is removed again.
/// \throws UserError if ldd does not come to its end: an incomplete list would be another identity, and would
/// be remembered
std::string ldd_output(const fs::path& program, const fs::path& listing) {
  std::error_code ignored;
  fs::remove(listing, ignored);
  ProcessSpec ldd;
  ldd.argv = {"ldd", fs::absolute(program).string()};
  ldd.environment = {{"LC_ALL", "C"}};
  ldd.stdout_file = listing;
  ldd.stderr_file = listing;
  const auto ended = Process::spawn(ldd).wait_for(std::chrono::minutes(1));
  const std::string text = fs::exists(listing, ignored) ? read_file(listing) : "";
  const std::string said = tail_of(listing, 1);
  fs::remove(listing, ignored);
  const bool is_static = text.find("not a dynamic executable") != std::string::npos;  // or a script; status 1
  if (!ended || !(ended->succeeded() || (ended->exit_status() && is_static)))
    throw UserError(
        fmt::format("cannot list the libraries of {} ({}{}); run the same command again", program.string(),
                    ended ? (ended->exit_status() ? "ldd ended with " : "ldd was ") + ended->text()
                          : "ldd took longer than a minute",
                    said.empty() ? "" : ": " + said));
  return text;
}

}  // namespace

const std::vector<std::string>& ContentHashes::libraries_of(const fs::path& program) {
  const auto [found, is_new] = libraries_.try_emplace(fs::absolute(program).lexically_normal().string());
  std::vector<std::string>& libraries = found->second;
  if (!is_new)
    return libraries;
  try {
    const fs::path listing = memory_.string() + "." + std::to_string(::getpid()) + ".ldd";
    fs::create_directories(listing.parent_path());
    std::istringstream lines(ldd_output(program, listing));
    for (std::string line; std::getline(lines, line);) {
      const size_t begin = line.find('/');
      const size_t end = line.rfind(" (0x");
      if (begin != std::string::npos && end != std::string::npos && begin < end)
        libraries.push_back(line.substr(begin, end - begin));
    }
  } catch (...) {
    libraries_.erase(found);
    throw;
  }
  return libraries;
}

std::string ContentHashes::of_program(const fs::path& program) {
  std::string all = of_file(program);
  for (const std::string& library : libraries_of(program))
    all += " " + of_file(library);
  return content_hash(all);
}

}  // namespace parity::suite
