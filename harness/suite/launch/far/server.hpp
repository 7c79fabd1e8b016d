// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "harness/suite/launch/far/connection.hpp"
#include "harness/suite/launch/far/place.hpp"

namespace parity::suite {

/// Lets ranks of machines that do not see the folder of a run read and write it, over TCP. Each process says
/// the key first. A rank whose connection ends before the rank said so is lost.
///
/// | request              | answer                  | effect                                            |
/// |----------------------|-------------------------|---------------------------------------------------|
/// | hello: key           |                         | must be the first                                 |
/// | rank: R              |                         | the connection is that of rank R                  |
/// | list                 | names: [...]            | the files of the run's folder and those below it  |
/// | read: NAME, offset   | size; bytes             | at most 4 MiB from there; no size: no such file   |
/// | write: NAME; bytes   |                         | replaces a file                                   |
/// | claim: NAME          | first: true or false    | creates a file that must not be there             |
/// | append: NAME; bytes  |                         | adds to a file                                    |
/// | keep: NAME, size,    |                         | renames what was appended to NAME.arriving, if    |
/// |   digest             |                         | size and digest are these                         |
/// | remove: NAME         |                         | removes a file                                    |
/// | end                  |                         | this rank has ended; its connection may close     |
///
/// What fails is answered by {"problem"}.
class FarServer {
 public:
  /// Listens on all interfaces, at a port that the system chooses.
  /// \param folder  of the run
  /// \param ranks   how many processes may come
  /// \throws UserError if it cannot
  FarServer(std::filesystem::path folder, int ranks);
  /// As close().
  ~FarServer();
  FarServer(const FarServer&) = delete;
  FarServer& operator=(const FarServer&) = delete;

  const FarPlace& place() const { return place_; }
  /// Returns the ranks that are lost.
  std::set<int> lost() const;
  /// Ends every connection, on which the processes end their ranks.
  void close();

 private:
  struct Guest {
    explicit Guest(int socket) : connection(socket) {}
    Connection connection;
    int rank = -1;
    bool ended = false;
    std::thread thread = {};
  };

  void accept_all();
  void serve(Guest& guest);
  Message answer(const Message& asked, Guest& guest);

  std::filesystem::path folder_;
  size_t most_guests_;
  int socket_ = -1;
  FarPlace place_;
  mutable std::mutex mutex_;
  std::list<Guest> guests_;
  std::set<int> lost_;
  bool closing_ = false;
  std::thread accepts_;  // last: starts when the rest is there
};

}  // namespace parity::suite
