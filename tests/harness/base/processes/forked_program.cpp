// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// A program that ForkServer starts: prints its arguments and two variables, waits if asked, and returns a
// status.
#include <cstdlib>
#include <iostream>
#include <string>

#include <unistd.h>

#include "harness/base/processes/fork_server.hpp"

int main(int argc, char** argv) {
  const std::string serve = argc == 2 ? argv[1] : "";
  if (!serve.starts_with("--fork-server="))
    return 2;
  const int loaded = ::getpid();
  const auto arguments = parity::serve_forks(std::stoi(serve.substr(serve.find('=') + 1)));
  for (const std::string& word : arguments)
    std::cout << word << '|';
  for (const char* name : {"COMMON", "OF_RANK"}) {
    const char* value = std::getenv(name);
    std::cout << (value != nullptr ? value : "none") << '|';
  }
  std::cout << (::getpid() == loaded ? "the server" : "forked") << std::endl;
  if (arguments.at(1) == "wait")
    ::pause();
  return std::atoi(arguments.back().c_str());
}
