// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/far/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/suite/launch/far/served_folder.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr size_t most_hello = 4096;  ///< bytes of a process that has not said the key
constexpr std::chrono::seconds time_for_hello{10};

std::string new_key() {
  std::array<unsigned char, 16> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw UserError(fmt::format("cannot draw a random key ({}); try again", std::strerror(errno)));
  std::string key;
  for (const unsigned char byte : bytes)
    key += fmt::format("{:02x}", byte);
  return key;
}

/// Listens at a free port of all interfaces, of IPv6 too where there is IPv6. \return {socket, port}
std::pair<int, int> listen_anywhere() {
  for (const int family : {AF_INET6, AF_INET}) {
    const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0)
      continue;
    const int no = 0;
    sockaddr_in6 six = {};
    six.sin6_family = AF_INET6;
    sockaddr_in four = {};
    four.sin_family = AF_INET;
    auto* const address =
        family == AF_INET6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    socklen_t length = family == AF_INET6 ? sizeof six : sizeof four;
    if (family == AF_INET6)
      ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (::bind(socket, address, length) == 0 && ::listen(socket, SOMAXCONN) == 0 &&
        ::getsockname(socket, address, &length) == 0)
      return {socket, ntohs(family == AF_INET6 ? six.sin6_port : four.sin_port)};
    ::close(socket);
  }
  throw UserError(
      fmt::format("cannot listen for ranks of other machines ({}); give the machines a shared "
                  "folder",
                  std::strerror(errno)));
}

/// Blocks all signals in this thread while it lives; threads that start meanwhile keep them blocked.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace

FarServer::FarServer(fs::path folder, int ranks)
    : folder_(std::move(folder)), most_guests_(4 * static_cast<size_t>(ranks) + 64) {
  place_ = {own_address(), 0, new_key()};
  std::tie(socket_, place_.port) = listen_anywhere();
  const NoSignals none;
  accepts_ = std::thread([this] { accept_all(); });
}

FarServer::~FarServer() {
  close();
}

void FarServer::close() {
  {
    const std::lock_guard lock(mutex_);
    if (closing_)
      return;
    closing_ = true;
    for (const Guest& guest : guests_)
      guest.connection.shut();
  }
  ::shutdown(socket_, SHUT_RDWR);
  accepts_.join();
  for (Guest& guest : guests_)  // nobody adds one any more
    guest.thread.join();
  ::close(socket_);
}

std::set<int> FarServer::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void FarServer::accept_all() {
  for (;;) {
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (closing_ || (socket < 0 && errno != ECONNABORTED && errno != EINTR)) {
      if (socket >= 0)
        ::close(socket);
      return;
    }
    if (socket < 0)
      continue;
    if (guests_.size() >= most_guests_) {
      ::close(socket);
      continue;
    }
    Guest& guest = guests_.emplace_back(socket);
    try {
      guest.thread = std::thread([this, &guest] { serve(guest); });
    } catch (const std::system_error&) {  // no thread left; the process sees the end of its connection
      guests_.pop_back();
    }
  }
}

void FarServer::serve(Guest& guest) {
  try {
    guest.connection.limit(time_for_hello);
    const Message hello = guest.connection.receive(most_hello, 0);
    if (text_or(hello.head, "hello") != place_.key) {
      guest.connection.send({{{"problem", "the key is that of another run"}}});
      return guest.connection.shut();
    }
    guest.connection.send({});
    guest.connection.limit(std::chrono::seconds(0));
    for (;;)
      guest.connection.send(answer(guest.connection.receive(), guest));
  } catch (const std::exception&) {  // the connection is lost, or there is no memory for what it asks
    guest.connection.shut();
    const std::lock_guard lock(mutex_);
    if (guest.rank >= 0 && !guest.ended)
      lost_.insert(guest.rank);
  }
}

Message FarServer::answer(const Message& asked, Guest& guest) {
  if (asked.head.contains("rank"))
    guest.rank = static_cast<int>(integer_or(asked.head, "rank", -1));
  else if (asked.head.contains("end"))
    guest.ended = true;
  else
    return answer_for_folder(folder_, asked);
  return {};
}

}  // namespace parity::suite
