// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/collect_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
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

/// A finished trace on the machine of its rank.
struct RankPart {
  int64_t rank = 0;
  std::string host;
  int64_t size = 0;  ///< [bytes]
  std::string digest;
  bool is_here = false;  ///< rank 0 sees it
};

bool is_same(const trace::RankFile& file, const RankPart& part) {
  return file.size == part.size && file.digest == part.digest;
}

/// Returns the parts of ranks 1, 2, ..., the same on every rank.
std::vector<RankPart> list_parts(const fs::path& trace, const Group& world) {
  const trace::RankFile own = trace::index_row(trace::rank_path(trace, world.rank()));
  const Json own_part = {{"host", host_name()}, {"size", own.size}, {"digest", own.digest}};
  std::vector<RankPart> parts;
  Json seen = Json::array();
  for (const std::string& text : gather_texts(own_part.dump(), world)) {
    const Json json = Json::parse(text);
    const auto rank = static_cast<int64_t>(parts.size());
    parts.push_back({rank, json.at("host"), json.at("size"), json.at("digest")});
    seen.push_back(world.rank() == 0 &&
                   is_same(trace::index_row(trace::rank_path(trace, rank)), parts.back()));
  }
  const Json of_first = Json::parse(broadcast_text(seen.dump(), world, 0));
  for (RankPart& part : parts)
    part.is_here =
        part.rank == 0 || part.size == 0 || of_first.at(static_cast<size_t>(part.rank)).get<bool>();
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
    world.send(piece, 0);
  });
}

void receive_part(const RankPart& part, const fs::path& file, const Group& world) {
  TemporaryFile temporary(file);
  std::ofstream out(temporary.path(), std::ios::binary | std::ios::trunc);
  in_pieces(part, world, [&](int64_t size) {
    const torch::Tensor piece = torch::empty({size}, torch::kUInt8);
    world.receive(piece, part.rank);
    if (!out.write(static_cast<const char*>(piece.const_data_ptr()), size))
      throw_cannot_write(file);
  });
  out.close();
  if (!out)
    throw_cannot_write(file);
  if (!is_same(trace::index_row(temporary.path()), part))
    throw UserError(
        fmt::format("cannot collect the trace of rank {} on {} (it arrived with other bytes); check the "
                    "network and run again",
                    part.rank, part.host));
  temporary.take_place();
}

/// The trace of this rank under a name that no other rank uses, so that removing it removes no collected
/// file.
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
  if (world.rank() == 0) {
    receive_part(part, file, world);
    world.barrier();  // the file is whole
  } else if (world.rank() == part.rank) {
    SentFile sent(file);
    send_part(part, sent.path(), world);
    world.barrier();
    sent.set_arrived();
  } else {
    in_pieces(part, world, [](int64_t) {});
    world.barrier();
  }
}

}  // namespace

void collect_trace(const fs::path& trace, const Group& world) {
  if (world.size() == 1)
    return;
  world.tap({});  // these messages are no part of the training
  for (const RankPart& part : list_parts(trace, world))
    if (!part.is_here)
      move_part(part, trace, world);
}

}  // namespace parity::reference
