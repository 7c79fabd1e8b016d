// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/far/client.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_small_file = 16 << 20;
constexpr std::chrono::seconds first_limit{30};

/// Returns a socket that is connected to the place.
int connect_to(const FarPlace& place) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::string why;
  const std::string port = std::to_string(place.port);
  if (const int code = ::getaddrinfo(place.address.c_str(), port.c_str(), &wanted, &found); code != 0)
    why = ::gai_strerror(code);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  timeval limit = {};
  limit.tv_sec = first_limit.count();
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int socket = ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (socket >= 0)
      ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // also limits connect(2)
    if (socket >= 0 && ::connect(socket, at->ai_addr, at->ai_addrlen) == 0)
      return socket;
    why = std::strerror(errno);
    if (socket >= 0)
      ::close(socket);
  }
  throw UserError(
      fmt::format("cannot reach parity at {}:{} from {} ({}); set PARITY_ADDRESS to an address of parity's "
                  "machine that this one reaches",
                  place.address, place.port, host_name(), why));
}

}  // namespace

FarClient::FarClient(const FarPlace& place) : connection_(connect_to(place)) {
  limit(first_limit);
  ask({{"hello", place.key}});
}

Message FarClient::ask(const Json& head, std::string bytes) const {
  connection_.send({head, std::move(bytes)});
  Message answer = connection_.receive();
  if (const std::string problem = text_or(answer.head, "problem"); !problem.empty())
    throw UserError(problem);
  return answer;
}

std::optional<std::string> FarClient::read(const std::string& name) const {
  std::string content;
  for (;;) {
    const Message piece = ask({{"read", name}, {"offset", content.size()}});
    const int64_t size = integer_or(piece.head, "size", -1);
    if (size < 0 || static_cast<uint64_t>(size) > largest_small_file)
      return std::nullopt;
    content += piece.bytes;
    if (piece.bytes.empty() || content.size() >= static_cast<uint64_t>(size))
      return content;
  }
}

void FarClient::write(const std::string& name, std::string_view content) const {
  ask({{"write", name}}, std::string(content));
}

bool FarClient::claim(const std::string& name) const {
  return ask({{"claim", name}}).head.value("first", false);
}

void FarClient::be_rank(int rank) const {
  ask({{"rank", rank}});
}

void FarClient::end() const {
  ask({{"end", true}});
}

std::vector<std::string> FarClient::list() const {
  const Message answer = ask({{"list", true}});
  return has_strings(answer.head, "names") ? answer.head["names"].get<std::vector<std::string>>()
                                           : std::vector<std::string>();
}

void FarClient::fetch(const std::string& name, const fs::path& to) const {
  NewFile file(to);
  for (uint64_t done = 0;;) {
    const Message piece = ask({{"read", name}, {"offset", done}});
    if (!piece.head.contains("size"))
      throw UserError(fmt::format("cannot fetch {} (parity does not have it); run the case again", name));
    file.write(piece.bytes);
    done += piece.bytes.size();
    if (piece.bytes.empty() || done >= static_cast<uint64_t>(integer_or(piece.head, "size", 0)))
      return file.finish();
  }
}

void FarClient::remove(const std::string& name) const {
  ask({{"remove", name}});
}

void FarClient::append(const std::string& name, std::string_view bytes) const {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), piece_of_messages)))
    ask({{"append", name}}, std::string(bytes.substr(0, piece_of_messages)));
}

CollectedFile FarClient::send(const fs::path& file, const std::string& name,
                              const std::function<void(uint64_t)>& progress) const {
  const CollectedFile sent = {name, fs::file_size(file), hash_of_contents(file)};
  std::ifstream in = open_file(file);
  std::string piece(piece_of_messages, '\0');
  uint64_t done = 0;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    const auto size = static_cast<size_t>(in.gcount());
    append(name + ".arriving", std::string_view(piece).substr(0, size));
    done += size;
    progress(done);
  }
  if (in.bad())
    throw UserError(fmt::format("cannot read {} of {}", file.string(), host_name()));
  ask({{"keep", name}, {"size", sent.size}, {"digest", sent.digest}});
  return sent;
}

}  // namespace parity::suite
