// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/far/connection.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace parity::suite {
namespace {

constexpr size_t head_bytes = 8;

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

void put_length(char* to, size_t length) {
  for (size_t i = 0; i < 4; ++i)
    to[i] = static_cast<char>((length >> (8 * i)) & 0xFFU);
}

size_t length_at(const char* from) {
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i)
    length |= size_t{static_cast<unsigned char>(from[i])} << (8 * i);
  return length;
}

[[noreturn]] void lose(const char* what) {
  const bool silent = errno == EAGAIN || errno == EWOULDBLOCK;
  throw ConnectionLost(std::string(what) + ": " + (silent ? "no answer in time" : std::strerror(errno)));
}

void send_all(int socket, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      lose("cannot send");
    bytes += sent;
    size -= static_cast<size_t>(sent);
  }
}

void receive_all(int socket, char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, bytes, size, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got == 0)
      throw ConnectionLost("the other end closed the connection");
    if (got < 0)
      lose("cannot receive");
    bytes += got;
    size -= static_cast<size_t>(got);
  }
}

}  // namespace

Connection::Connection(int socket) : socket_(socket) {
  set_option(socket_, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket_, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket_, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(socket_, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket_, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set_option(socket_, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);  // [ms] until sent bytes are acknowledged
}

Connection::~Connection() {
  ::close(socket_);
}

void Connection::limit(std::chrono::milliseconds limit) const {
  timeval time = {};
  time.tv_sec = limit.count() / 1000;
  time.tv_usec = limit.count() % 1000 * 1000;
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(socket_, SOL_SOCKET, option, &time, sizeof time);
}

void Connection::send(const Message& message) const {
  std::string frame(head_bytes, '\0');
  frame += json_text(message.head);
  put_length(frame.data(), frame.size() - head_bytes);
  put_length(frame.data() + 4, message.bytes.size());
  send_all(socket_, frame.data(), frame.size());
  send_all(socket_, message.bytes.data(), message.bytes.size());
}

Message Connection::receive(size_t most_head, size_t most_bytes) const {
  std::array<char, head_bytes> lengths = {};
  receive_all(socket_, lengths.data(), lengths.size());
  const size_t json = length_at(lengths.data()), bytes = length_at(lengths.data() + 4);
  if (json > most_head || bytes > most_bytes)
    throw ConnectionLost("the other end sent a message that is too long");
  std::string text(json, '\0');
  receive_all(socket_, text.data(), json);
  Message message{read_json(text), std::string(bytes, '\0')};
  receive_all(socket_, message.bytes.data(), bytes);
  if (!message.head.is_object())
    throw ConnectionLost("the other end sent bytes that are not a message of parity");
  return message;
}

void Connection::shut() const {
  ::shutdown(socket_, SHUT_RDWR);
}

bool Connection::is_closed() const {
  char byte = 0;
  const ssize_t got = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace parity::suite
