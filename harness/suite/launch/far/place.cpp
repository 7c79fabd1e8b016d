// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/far/place.hpp"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>
#include <netdb.h>

#include "harness/base/error.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::suite {
namespace {

constexpr size_t key_letters = 32;

}  // namespace

std::string FarPlace::text() const {
  return fmt::format("{}:{}/{}", address, port, key);
}

FarPlace parse_far_place(const std::string& text) {
  FarPlace place;
  const size_t slash = text.rfind('/'), colon = text.rfind(':', slash);
  if (slash != std::string::npos && colon != std::string::npos && colon > 0) {
    place.address = text.substr(0, colon);
    place.key = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + slash, place.port);
    if (error == std::errc() && end == text.data() + slash && place.port > 0 && place.port < 65536 &&
        place.key.size() == key_letters)
      return place;
  }
  throw UserError(
      fmt::format("cannot reach parity at {} (not ADDRESS:PORT/KEY); let the launcher of the case "
                  "start this process",
                  parity::quoted(text)));
}

bool has_address(const std::string& host) {
  addrinfo* found = nullptr;
  const bool known = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found) == 0;
  if (known)
    ::freeaddrinfo(found);
  return known;
}

std::string own_address() {
  if (const char* address = std::getenv("PARITY_ADDRESS"); address != nullptr && *address != '\0')
    return address;
  const std::string host = host_name();
  if (!has_address(host))
    throw UserError(
        fmt::format("cannot name this machine to ranks of other ones (no address belongs to the name "
                    "{}); set PARITY_ADDRESS to its address",
                    host));
  return host;
}

}  // namespace parity::suite
