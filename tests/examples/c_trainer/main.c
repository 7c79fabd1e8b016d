/* SPDX-FileCopyrightText: The parity authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A training loop in plain C that records itself: a linear model, in one process or in two.
 *
 *   p = x w^T,  loss = sum (p - y)^2 / B,  w -= lr dloss/dw
 *
 * The batch has two halves. One process computes them one after another, as two micro-batches. Two processes
 * compute one each, as two ranks. Both add the halves' gradients in the same order, so the runs have the same
 * bits.
 *
 * Usage: c_trainer TRACE [RANKS] */
#define _GNU_SOURCE /* MAP_ANONYMOUS, pthread_barrier_t */
#include <parity/recorder.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 8, HALF = BATCH / 2, INPUTS = 3, OUTPUTS = 2, STEPS = 5 };

/* What a half of the batch gives. */
typedef struct {
  float prediction[HALF][OUTPUTS];
  float gradient[OUTPUTS][INPUTS];
  double loss;
} Half;

/* Memory of all ranks. */
typedef struct {
  Half half[2];
  pthread_barrier_t all_ranks;
} Shared;

static void must(int status) {
  if (status == 0)
    return;
  fprintf(stderr, "%s\n", parity_recorder_last_error());
  exit(status > 0 ? status : 2);
}

static float input_of(int row, int column) {
  return (float)((row * 7 + column * 5) % 11) / 11.0F - 0.5F;
}

static void compute(const float w[OUTPUTS][INPUTS], int number, Half* half) {
  memset(half, 0, sizeof *half);
  for (int b = 0; b < HALF; ++b)
    for (int o = 0; o < OUTPUTS; ++o) {
      const int row = number * HALF + b;
      float sum = 0;
      for (int i = 0; i < INPUTS; ++i)
        sum += w[o][i] * input_of(row, i);
      const float gap = sum - input_of(row, o + INPUTS);
      half->prediction[b][o] = sum;
      half->loss += (double)gap * gap / BATCH;
      for (int i = 0; i < INPUTS; ++i)
        half->gradient[o][i] += 2 * gap * input_of(row, i) / BATCH;
    }
}

/* Records the predictions of the half that this rank computed: its rows of the logical tensor [B, outputs].
 */
static void record_half(parity_recorder* recorder, int64_t id, int ranks, int number, const Half* half) {
  static const char* const layouts[2] = {
      "{\"global_shape\": [8, 2], \"placements\": [{\"mesh\": \"data\", \"coordinate\": 0, \"size\": 2, "
      "\"kind\": \"shard\", \"dim\": 0, \"ranges\": [[0, 4]]}]}",
      "{\"global_shape\": [8, 2], \"placements\": [{\"mesh\": \"data\", \"coordinate\": 1, \"size\": 2, "
      "\"kind\": \"shard\", \"dim\": 0, \"ranges\": [[4, 8]]}]}"};
  const int64_t shape[2] = {HALF, OUTPUTS};
  parity_tensor tensor = {
      .struct_size = sizeof tensor, .id = id, .dtype = "float32", .rank = 2, .shape = shape};
  tensor.data = half->prediction;
  if (ranks == 2) {
    tensor.layout = layouts[number];
  } else {
    tensor.micro_batch = number;
    tensor.micro_batches = 2;
    tensor.first_row = (int64_t)number * HALF;
    tensor.rows = BATCH;
  }
  must(parity_recorder_offer(recorder, &tensor));
}

/* Records a tensor that every rank holds. Faults of the capture, and a teacher, may change it. */
static void record_whole(parity_recorder* recorder, const char* phase, float values[OUTPUTS][INPUTS]) {
  const int64_t shape[2] = {OUTPUTS, INPUTS};
  parity_tensor tensor = {
      .struct_size = sizeof tensor, .phase = phase, .name = "w", .dtype = "float32", .rank = 2};
  tensor.shape = shape;
  tensor.data = values;
  tensor.writable = values;
  must(parity_recorder_offer(recorder, &tensor));
}

static void train_step(parity_recorder* recorder, Shared* shared, float w[OUTPUTS][INPUTS], int rank,
                       int ranks) {
  const float lr = 0.25F;
  float gradient[OUTPUTS][INPUTS];
  const int64_t id = parity_recorder_intern(recorder, "forward", "linear");
  for (int number = 0; number < 2; ++number)
    if (ranks == 1 || number == rank) {
      compute((const float(*)[INPUTS])w, number, &shared->half[number]);
      record_half(recorder, id, ranks, number, &shared->half[number]);
    }
  pthread_barrier_wait(&shared->all_ranks); /* all-reduce: both halves are there */
  for (int o = 0; o < OUTPUTS; ++o)
    for (int i = 0; i < INPUTS; ++i)
      gradient[o][i] = shared->half[0].gradient[o][i] + shared->half[1].gradient[o][i];
  const double loss = shared->half[0].loss + shared->half[1].loss;
  pthread_barrier_wait(&shared->all_ranks); /* nobody needs them any more */
  record_whole(recorder, "grad", gradient);
  for (int o = 0; o < OUTPUTS; ++o)
    for (int i = 0; i < INPUTS; ++i)
      w[o][i] -= lr * gradient[o][i];
  record_whole(recorder, "param", w);
  must(parity_recorder_value_f64(recorder, "loss", loss, PARITY_CHANNEL_NUMERIC));
  must(parity_recorder_value_f64(recorder, "lr", lr, PARITY_CHANNEL_NUMERIC));
}

static parity_recorder* open_trace(const char* path, int rank, int ranks) {
  parity_recorder_options options = {
      .struct_size = sizeof options, .path = path, .rank = rank, .ranks = ranks};
  options.config = "{\"steps\": 5}";
  options.capture_file = getenv("PARITY_CAPTURE"); /* set by `parity run` */
  if (options.capture_file == NULL)
    options.capture = "{\"tensors\": [{}]}";
  parity_recorder* recorder = parity_recorder_open_with(&options);
  must(recorder == NULL ? 2 : 0);
  return recorder;
}

int main(int argc, char** argv) {
  const int ranks = argc > 2 ? atoi(argv[2]) : 1;
  if (argc < 2 || ranks < 1 || ranks > 2) {
    fprintf(stderr, "usage: c_trainer TRACE [1|2]\n");
    return 2;
  }
  Shared* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 3;
  pthread_barrierattr_t across_processes;
  pthread_barrierattr_init(&across_processes);
  pthread_barrierattr_setpshared(&across_processes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->all_ranks, &across_processes, (unsigned)ranks);

  const pid_t child = ranks == 2 ? fork() : -1;
  const int rank = child == 0 ? 1 : 0;
  parity_recorder* recorder = open_trace(argv[1], rank, ranks);
  float w[OUTPUTS][INPUTS] = {{0.5F, -0.25F, 0.125F}, {-0.75F, 0.375F, 0.0F}};
  must(parity_recorder_begin_step(recorder, 0));
  record_whole(recorder, "param", w);
  must(parity_recorder_end_step(recorder));
  for (int step = 1; step <= STEPS; ++step) {
    must(parity_recorder_begin_step(recorder, step));
    train_step(recorder, shared, w, rank, ranks);
    must(parity_recorder_end_step(recorder));
  }
  if (child > 0) { /* rank 0 finishes last: it records the digest of the other file */
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) {
      fprintf(stderr, "rank 1 failed\n");
      return 4;
    }
  }
  must(parity_recorder_finish(recorder));
  parity_recorder_close(recorder);
  return 0;
}
