// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/collect_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/json.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/read/rank_files.hpp"
#include "reference/comm/texts.hpp"

namespace parity::reference {
namespace fs = std::filesystem;
namespace {

constexpr int64_t piece_bytes = int64_t{4} << 20;
constexpr int64_t pieces_of_round =
    16;  // all ranks meet after each round, so that none waits beyond its limit

/// A finished trace of a rank above 0, and the ranks between whose machines it moves.
struct RankPart {
  int64_t rank = 0;
  int64_t from = 0, to = 0;
  std::string host;  ///< of `from`
  int64_t size = 0;  ///< [bytes]
  std::string digest;
  bool moves = false;  ///< `from` has the file, and `to` does not see it
};

bool is_same(const trace::RankFile& file, const RankPart& part) {
  return file.size == part.size && file.digest == part.digest;
}

/// Returns what this machine has of a rank's trace.
Json row_of(const fs::path& trace, int64_t rank) {
  const trace::RankFile row = trace::index_row(trace::rank_path(trace, rank));
  return {{"host", host_name()}, {"size", row.size}, {"digest", row.digest}};
}

/// Returns the rows of ranks 1, 2, ... on the machine of rank 0, the same on every rank.
Json rows_of_first(const fs::path& trace, const Group& world) {
  Json rows = Json::array();
  for (int64_t rank = 1; world.rank() == 0 && rank < world.size(); ++rank)
    rows.push_back(row_of(trace, rank));
  return Json::parse(broadcast_text(rows.dump(), world, 0));
}

enum class Direction { to_first, from_first };

/// Returns the parts of ranks 1, 2, ..., the same on every rank.
std::vector<RankPart> list_parts(const fs::path& trace, Direction direction, const Group& world) {
  const std::vector<std::string> own = gather_texts(row_of(trace, world.rank()).dump(), world);
  const Json of_first = rows_of_first(trace, world);
  std::vector<RankPart> parts;
  for (int64_t rank = 1; rank < world.size(); ++rank) {
    Json source = Json::parse(own.at(static_cast<size_t>(rank)));
    Json target = of_first.at(static_cast<size_t>(rank) - 1);
    RankPart part;
    part.rank = part.from = rank;
    if (direction == Direction::from_first) {
      std::swap(source, target);
      std::swap(part.from, part.to);
    }
    source.at("host").get_to(part.host);
    source.at("size").get_to(part.size);
    source.at("digest").get_to(part.digest);
    part.moves = part.size > 0 && (target.at("size") != part.size || target.at("digest") != part.digest);
    parts.push_back(part);
  }
  return parts;
}

/// Calls `move` with the size of each piece of a part [bytes], on the ranks that move it. All ranks call it.
template <typename Move>
void in_pieces(const RankPart& part, const Group& world, const Move& move) {
  int64_t number = 0;
  for (int64_t done = 0; done < part.size; done += piece_bytes) {
    move(std::min(piece_bytes, part.size - done));
    if (++number % pieces_of_round == 0)
      world.barrier();
  }
  world.barrier();
}

void send_part(const RankPart& part, const fs::path& file, const Group& world) {
  std::ifstream in = open_file(file);
  in_pieces(part, world, [&](int64_t size) {
    const torch::Tensor piece = torch::empty({size}, torch::kUInt8);
    if (!in.read(static_cast<char*>(piece.mutable_data_ptr()), size))
      throw UserError(fmt::format("cannot read {} ({})", file.string(), std::strerror(errno)));
    world.send(piece, part.to);
  });
}

void receive_part(const RankPart& part, const fs::path& file, const Group& world) {
  TemporaryFile temporary(file);
  std::ofstream out(temporary.path(), std::ios::binary | std::ios::trunc);
  in_pieces(part, world, [&](int64_t size) {
    const torch::Tensor piece = torch::empty({size}, torch::kUInt8);
    world.receive(piece, part.from);
    if (!out.write(static_cast<const char*>(piece.const_data_ptr()), size))
      throw_cannot_write(file);
  });
  out.close();
  if (!out)
    throw_cannot_write(file);
  if (!is_same(trace::index_row(temporary.path()), part))
    throw UserError(
        fmt::format("cannot move the trace of rank {} from {} to {} (it arrived with other bytes); check the "
                    "network and run again",
                    part.rank, part.host, host_name()));
  temporary.take_place();
}

/// A sent trace under a name that no rank uses, so that removing it removes no file that arrived.
class SentFile {
 public:
  explicit SentFile(fs::path file) : file_(std::move(file)), renamed_(file_) {
    renamed_ += ".sent";
    fs::rename(file_, renamed_);
  }
  ~SentFile() {
    std::error_code ignored;
    if (arrived_)
      fs::remove(renamed_, ignored);
    else
      fs::rename(renamed_, file_, ignored);
  }
  SentFile(const SentFile&) = delete;
  SentFile& operator=(const SentFile&) = delete;

  const fs::path& path() const { return renamed_; }
  void set_arrived() { arrived_ = true; }

 private:
  fs::path file_;
  fs::path renamed_;
  bool arrived_ = false;
};

void move_part(const RankPart& part, const fs::path& trace, const Group& world) {
  const fs::path file = trace::rank_path(trace, part.rank);
  if (world.rank() == part.to) {
    receive_part(part, file, world);
    world.barrier();  // the file is whole
  } else if (world.rank() == part.from) {
    SentFile sent(file);
    send_part(part, sent.path(), world);
    world.barrier();
    sent.set_arrived();
  } else {
    in_pieces(part, world, [](int64_t) {});
    world.barrier();
  }
}

void move_parts(const fs::path& trace, Direction direction, const Group& world) {
  if (world.size() == 1)
    return;
  for (const RankPart& part : list_parts(trace, direction, world))
    if (part.moves)
      move_part(part, trace, world);
}

}  // namespace

void collect_trace(const fs::path& trace, const Group& world) {
  world.tap({});  // these messages are no part of the training
  move_parts(trace, Direction::to_first, world);
}

void hand_out_trace(const fs::path& trace, const Group& world) {
  move_parts(trace, Direction::from_first, world);
}

}  // namespace parity::reference
