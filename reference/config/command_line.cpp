// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/command_line.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"
#include "reference/config/keys.hpp"
#include "reference/config/read.hpp"
#include "reference/config/validate.hpp"

namespace parity::reference {
namespace {

const std::vector<std::string> options = {
    "--set",           "--trace",        "--capture",        "--stop-after",    "--checkpoint-every",
    "--start-from",    "--resume",       "--dtype",          "--quiet",         "--schema",
    "--estimate",      "--help",         "--version",        "--collect-trace", "--save-weights",
    "--weights-names", "--load-weights", "--checkpoint-dir", "--check"};

int64_t parse_count(const std::string& option, const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1)
    throw UserError("cannot use " + option + " " + text + " (updates count from 1); give a whole number");
  return value;
}

/// The arguments as written, before files are read.
struct Arguments {
  Invocation invocation;
  std::string config_file;
  std::string dtype;
  std::string load_weights;
  std::string weights_names;
  std::vector<std::string> settings;
};

Arguments split(const std::vector<std::string>& arguments) {
  Arguments result;
  Invocation& to = result.invocation;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 >= arguments.size())
        throw UserError(option + " has no value (the command line ends after it); see --help");
      return arguments[++i];
    };
    if (option == "--set")
      result.settings.push_back(value());
    else if (option == "--trace")
      to.trace = value();
    else if (option == "--capture")
      to.capture = value();
    else if (option == "--checkpoint-dir")
      to.checkpoint_dir = value();
    else if (option == "--load-weights")
      result.load_weights = value();
    else if (option == "--save-weights")
      to.save_weights = value();
    else if (option == "--weights-names")
      result.weights_names = value();
    else if (option == "--dtype")
      result.dtype = value();
    else if (option == "--stop-after")
      to.stop_after = parse_count(option, value());
    else if (option == "--checkpoint-every")
      to.checkpoint_every = parse_count(option, value());
    else if (option == "--start-from")
      to.start_from = value();
    else if (option == "--resume")
      to.resume = true;
    else if (option == "--collect-trace")
      to.collect_trace = true;
    else if (option == "--quiet")
      to.quiet = true;
    else if (option == "--schema")
      to.action = Invocation::Action::print_schema;
    else if (option == "--estimate")
      to.action = Invocation::Action::estimate;
    else if (option == "--check") {
      to.action = Invocation::Action::check;
      to.configs = value();
    } else if (option == "--version")
      to.action = Invocation::Action::print_version;
    else if (option == "--help" || option == "-h")
      to.action = Invocation::Action::print_help;
    else if (option.starts_with("-"))
      throw UserError("unknown option " + option + suggestion(option, options));
    else if (result.config_file.empty())
      result.config_file = option;
    else
      throw UserError("cannot read two config files, " + result.config_file + " and " + option +
                      " (a run has one); change single keys with --set");
  }
  return result;
}

/// Refuses names of files that could not be written after training, or not be recognised when they are read.
void check_saved_name(const std::filesystem::path& path) {
  constexpr std::string_view single = ".safetensors", index = ".safetensors.index.json";
  const std::string name = path.filename().string();
  const auto has_name = [&](std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending);
  };
  const bool is_folder = name.empty() && path != path.root_path();
  if (!path.empty() && !has_name(single) && !has_name(index) && !is_folder &&
      (path.has_extension() || name.empty()))
    throw UserError(
        "cannot save weights as " + path.string() +
        " (they are written as safetensors, or as a folder of torch.distributed.checkpoint); name "
        "NAME.safetensors, NAME.safetensors.index.json for shards, or FOLDER/");
}

void take_weights(const Arguments& given, Invocation& run) {
  if (!given.load_weights.empty())
    set_key(run.config, "weights.path", given.load_weights);
  check_saved_name(run.save_weights);
  if (given.weights_names.empty())
    return;
  if (run.save_weights.empty())
    throw UserError(
        "cannot use --weights-names without --save-weights (the names in a file that is read are "
        "recognized); give --save-weights FILE");
  run.weights_names = parse_enum<WeightNames>(given.weights_names);
}

void check_combination(const Invocation& run) {
  if (run.stop_after > run.config.steps)
    throw UserError("--stop-after " + std::to_string(run.stop_after) + " is after the end (steps = " +
                    std::to_string(run.config.steps) + "); stop earlier or raise steps");
  if (run.resume && !run.start_from.empty())
    throw UserError(
        "cannot use both --resume and --start-from (--resume continues a trace, --start-from begins one); "
        "give one of them");
  if (run.collect_trace && run.trace.empty())
    throw UserError("--collect-trace has no trace to collect (none was named); give --trace FILE");
  if ((run.resume || run.stop_after > 0 || run.checkpoint_every > 0) && run.checkpoint_dir.empty())
    throw UserError(
        std::string(run.resume           ? "--resume"
                    : run.stop_after > 0 ? "--stop-after"
                                         : "--checkpoint-every") +
        " needs a checkpoint folder (none was named); give --checkpoint-dir or PARITY_CHECKPOINT_DIR");
}

void default_to(std::filesystem::path& path, const std::string& value) {
  if (path.empty())
    path = value;
}

/// Returns the key that draws the residues of an exact twin; 0 where none is given.
uint64_t exact_key(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && (error != std::errc{} || end != text.data() + text.size()))
    throw UserError("cannot use PARITY_EXACT_KEY=" + text + " (it is not a whole number); give one from 0");
  return value;
}

}  // namespace

Invocation parse_command_line(const std::vector<std::string>& arguments, const Environment& environment) {
  Arguments given = split(arguments);
  Invocation run = std::move(given.invocation);
  if (run.action != Invocation::Action::train && run.action != Invocation::Action::estimate)
    return run;
  if (given.config_file.empty())
    given.config_file = environment("PARITY_CONFIG");
  if (given.config_file.empty() && given.settings.empty())
    throw UserError(
        "no config (no file was named, and PARITY_CONFIG is not set); run parity-train CONFIG.toml");
  if (!given.config_file.empty())
    read_config_file(run.config, given.config_file);
  for (const std::string& setting : given.settings)
    apply_setting(run.config, setting);
  const std::string dtype = given.dtype.empty() ? environment("PARITY_DTYPE") : given.dtype;
  if (!dtype.empty())
    set_key(run.config, "dtype", dtype);
  run.exact_key = exact_key(environment("PARITY_EXACT_KEY"));
  if (const std::string constants = environment("PARITY_EXACT_CONSTANTS"); !constants.empty())
    run.exact_constants = parse_enum<ExactConstants>(constants);
  take_weights(given, run);
  default_to(run.trace, environment("PARITY_TRACE"));
  default_to(run.capture, environment("PARITY_CAPTURE"));
  default_to(run.checkpoint_dir, environment("PARITY_CHECKPOINT_DIR"));
  default_to(run.heartbeat, environment("PARITY_HEARTBEAT"));
  validate(run.config);
  check_combination(run);
  return run;
}

std::string_view help_text() {
  return R"(parity-train: trains a language model and writes a trace

  parity-train CONFIG.(toml|json) [options]

  --set KEY=VALUE         change one key of the config; may be repeated
  --dtype TYPE            float32, float64 for the twin, or exact for the exact twin: residues beside the values
  --trace FILE            write a trace to this file (default: no trace)
  --capture FILE          JSON file that lists the tensors to keep in the trace
  --collect-trace         at the end, move the ranks' files to the machine of rank 0, for machines without a
                          shared folder; each rank writes to --trace on its own. With --resume, move them
                          back first
  --stop-after N          train updates 1 to N, then save a checkpoint
  --resume                continue from the checkpoint, in the same trace
  --checkpoint-every N    also save one after every N-th update, in the folder stepK of the checkpoint folder
  --start-from DIR        continue from the checkpoint in that folder, in a new trace
  --checkpoint-dir DIR    folder of the checkpoint
  --load-weights PATH     initial weights: sets weights.path
  --save-weights FILE     write the final weights as safetensors; NAME.safetensors.index.json writes shards,
                          FOLDER/ a folder of torch.distributed.checkpoint (needs PyTorch in Python)
  --weights-names KIND    names in that file: torchtitan (default), torchtitan_2026, torchtitan_2026_fused, hugging_face,
                          hugging_face_text (Llama 4 without its vision part), nanogpt (GPT-2)
  --quiet                 print no line per update
  --check FILE            print what validation says of each config in a JSON list, and train nothing
  --estimate              print the model's parameters and the memory that a rank of the mesh keeps
  --schema                print every config key with type, default and meaning
  --version, --help

The environment sets the same where no argument does: PARITY_CONFIG, PARITY_TRACE, PARITY_CAPTURE, PARITY_DTYPE,
PARITY_CHECKPOINT_DIR, PARITY_HEARTBEAT. Of exact twins: PARITY_EXACT_KEY (a number) and PARITY_EXACT_CONSTANTS
(binary, decimal or fraction). Exit codes: 0 done, 2 bad config or input, 3 file or device missing, 4 a loss
or gradient was not finite, 5 another rank is gone, 70 a bug. To train on several ranks, start as many as parallel.*
asks for with parity run, torchrun, srun or mpirun.
)";
}

}  // namespace parity::reference
