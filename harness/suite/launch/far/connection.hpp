// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Most bytes of one message, besides its JSON.
inline constexpr size_t piece_of_messages = size_t{4} << 20;

/// What parity and a process of a rank send each other.
struct Message {
  Json head = Json::object();  ///< an object
  std::string bytes = {};      ///< at most piece_of_messages
};

/// The other end is gone, or was silent for too long.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A connection over TCP that carries messages: two lengths (4 bytes each, little-endian), JSON, bytes.
class Connection {
 public:
  /// Takes over a connected socket. The kernel ends a connection whose other machine is gone for half a
  /// minute.
  explicit Connection(int socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Limits the time of each send() and receive(). \param limit  0: none
  void limit(std::chrono::milliseconds limit) const;
  /// \throws ConnectionLost
  void send(const Message& message) const;
  /// \param most_head   most bytes of JSON
  /// \param most_bytes  most bytes besides
  /// \throws ConnectionLost also if the message is too long, or not one
  Message receive(size_t most_head = size_t{16} << 20, size_t most_bytes = piece_of_messages) const;
  /// Ends the connection, so that a thread that waits in receive() goes on.
  void shut() const;
  /// Returns whether the other end has closed it. Does not wait.
  bool is_closed() const;

 private:
  int socket_;
};

}  // namespace parity::suite
