/* SPDX-FileCopyrightText: The parity authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PARITY_RECORDER_H
#define PARITY_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "version.h"

/** \file
 * The Recorder for C and for whatever can call C: writes one rank's trace of a training run. Link
 * parity::recorder, or `pkg-config --libs parity-recorder`.
 *
 *     parity_recorder_options options = {.struct_size = sizeof options, .path = "trace.h5", .ranks = 1};
 *     parity_recorder* recorder = parity_recorder_open_with(&options);
 *     for each step:  begin_step, channels and tensors, end_step
 *     parity_recorder_finish(recorder);
 *     parity_recorder_close(recorder);
 *
 * **Status.** Functions that can fail return 0, or the exit status that the failure deserves (2 bad input, 70
 * a call out of order). parity_recorder_last_error then returns the reason. Open one recorder per rank and
 * call it from one thread. Strings are UTF-8 and end in NUL. Phases and dtypes have their names of FORMAT.md.
 *
 * **Compatibility.** Each struct begins with `struct_size`, which the caller sets to its own `sizeof`. All
 * other members may be 0: that is their default. Later versions add functions, and members at the end of a
 * struct. They never remove, reorder or reinterpret any. So a program runs with every later library. It also
 * runs with an earlier library that has its functions, unless it sets a member that this library does not
 * know. Such a call fails with status 2. parity_recorder_abi returns the number of the interface; 1 had no
 * structs. */

#if defined(_WIN32)
/** Marks the functions that the shared library exports. */
#define PARITY_RECORDER_API
#else
/** Marks the functions that the shared library exports. */
#define PARITY_RECORDER_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A trace that is being written. */
typedef struct parity_recorder parity_recorder;

/** \name Version
 * @{ */

/** Returns PARITY_RECORDER_ABI of the library that is loaded. */
PARITY_RECORDER_API int32_t parity_recorder_abi(void);
/** Returns PARITY_VERSION_STRING of the library that is loaded. */
PARITY_RECORDER_API const char* parity_recorder_version(void);
/** @} */

/** \name Open and close
 * @{ */

/** What a recorder is opened with. Since ABI 2. */
typedef struct parity_recorder_options {
  /** sizeof(parity_recorder_options). */
  size_t struct_size;
  /** Path of rank 0's trace, also on other ranks: rank k > 0 writes trace.rank<k>.h5 next to trace.h5. */
  const char* path;
  /** Rank of this process, from 0. */
  int64_t rank;
  /** Number of ranks of the run; 0 means 1. */
  int64_t ranks;
  /** JSON object: the numeric config. NULL: {}. */
  const char* config;
  /** JSON object: facts about build and machine, without host, user or absolute path. NULL: {}. */
  const char* provenance;
  /** JSON object: what to record beyond channels, faults and the teacher. NULL: nothing. */
  const char* capture;
  /** Path of a file that holds the capture, such as $PARITY_CAPTURE; NULL or "": none. Not with `capture`. */
  const char* capture_file;
  /** Last step of the complete trace at `path` that this run continues; 0: a new trace. */
  int64_t append_after;
} parity_recorder_options;

/** Opens the trace of one rank; NULL on failure. Since ABI 2. */
PARITY_RECORDER_API parity_recorder* parity_recorder_open_with(const parity_recorder_options* options);

/** Opens the trace of a run of one rank; NULL on failure.
 * config, provenance, capture: JSON objects, or NULL for none (nothing captured beyond channels).
 * append_after: 0 for a new trace, or the last step of the complete trace at `path` that this run continues.
 */
PARITY_RECORDER_API parity_recorder* parity_recorder_open(const char* path, const char* config,
                                                          const char* provenance, const char* capture,
                                                          int64_t append_after);

/** Marks the run as failed.
 * what: a JSON object, such as {"kind": "non_finite", "step": 3, "phase": "grad", "tensor": "w"}. */
PARITY_RECORDER_API int parity_recorder_failure(parity_recorder* recorder, const char* what);

/** Adds facts about what the run computes, which may be known only after the first update: optimizer,
 * parameter groups, clipping. `parity explain` compares them.
 * recipe: a JSON object (FORMAT.md, "Recipe"); later facts replace earlier ones of their name. Since ABI 3.
 */
PARITY_RECORDER_API int parity_recorder_describe(parity_recorder* recorder, const char* recipe);

/** Completes the trace and gives it its final name. Call it on rank 0 after it returned on all other ranks:
 * rank 0 records their files' digests. If a file is missing, it fails, and `parity join` completes the trace
 * later. The recorder is still to be closed. */
PARITY_RECORDER_API int parity_recorder_finish(parity_recorder* recorder);

/** Frees the recorder. Without parity_recorder_finish the trace stays partial. NULL is allowed. */
PARITY_RECORDER_API void parity_recorder_close(parity_recorder* recorder);

/** Returns the reason of this thread's last failure; "" if no call failed. Valid until the next failure. */
PARITY_RECORDER_API const char* parity_recorder_last_error(void);
/** @} */

/** \name Steps and channels
 * @{ */

/** Begins a step: the number of an update, from 1, or 0 for the initial state, which has tensors only. */
PARITY_RECORDER_API int parity_recorder_begin_step(parity_recorder* recorder, int64_t step);

/** Ends the step, which is then committed whole. */
PARITY_RECORDER_API int parity_recorder_end_step(parity_recorder* recorder);

/** How a channel is compared. */
enum {
  /** Compared, and the same on every rank. */
  PARITY_CHANNEL_NUMERIC = 0,
  /** Shown only. */
  PARITY_CHANNEL_TIMING = 1,
  /** Compared. Each rank has its own values, of which a reader takes the largest. */
  PARITY_CHANNEL_PER_RANK = 2
};

/** Records the value of a channel at this step. kind: PARITY_CHANNEL_*. Since ABI 2. */
PARITY_RECORDER_API int parity_recorder_value_f64(parity_recorder* recorder, const char* name, double value,
                                                  int32_t kind);
/** Records the value of an integer channel at this step. kind: PARITY_CHANNEL_*. Since ABI 2. */
PARITY_RECORDER_API int parity_recorder_value_i64(parity_recorder* recorder, const char* name, int64_t value,
                                                  int32_t kind);

/** Records the value of a channel. timing: 0 for a value that is compared, else it is only shown. */
PARITY_RECORDER_API int parity_recorder_channel_f64(parity_recorder* recorder, const char* name, double value,
                                                    int timing);
/** Records the value of an integer channel. timing: 0 for a value that is compared, else it is only shown. */
PARITY_RECORDER_API int parity_recorder_channel_i64(parity_recorder* recorder, const char* name,
                                                    int64_t value, int timing);
/** @} */

/** \name What the capture asks for
 * @{ */

/** Bits that parity_recorder_wants_id returns. */
enum {
  /** Offering the tensor records or changes something. */
  PARITY_WANTS_TENSOR = 1,
  /** A fault or the teacher changes its values: offer memory that may be written. */
  PARITY_WANTS_WRITABLE = 2,
  /** The teacher has values for it: offer it also when it is recomputed. */
  PARITY_WANTS_RECOMPUTED = 4
};

/** Returns a number from 1 on that identifies a phase and a name, or -1 on failure. The same two strings give
 * the same number. Valid until the recorder is closed. Since ABI 2. */
PARITY_RECORDER_API int64_t parity_recorder_intern(parity_recorder* recorder, const char* phase,
                                                   const char* name);

/** Returns PARITY_WANTS_* of a tensor at this step, 0 if offering it does nothing, -1 on failure.
 * id: from parity_recorder_intern. The answer for an id is computed once a step. Since ABI 2. */
PARITY_RECORDER_API int parity_recorder_wants_id(parity_recorder* recorder, int64_t id);

/** Returns 1 if the elements of a tensor are recorded or changed at this step, 0 if not, -1 on failure.
 * Without them, what parity_recorder_measure_cuda returns is enough. id: from parity_recorder_intern. Since
 * ABI 4. */
PARITY_RECORDER_API int parity_recorder_wants_elements_id(parity_recorder* recorder, int64_t id);

/** Returns 1 if offering the tensor would record anything, 0 if not, -1 on failure. */
PARITY_RECORDER_API int parity_recorder_wants(parity_recorder* recorder, const char* phase, const char* name);

/** Returns 1 if the operators of a module are wanted at this step and phase, 0 if not, -1 on failure. With
 * NULL for phase and module: whether those of any module are wanted. Since ABI 2. */
PARITY_RECORDER_API int parity_recorder_wants_operators(parity_recorder* recorder, const char* phase,
                                                        const char* module);
/** @} */

/** \name Tensors
 * @{ */

/** Directions of a parity_copy. */
enum {
  /** From the tensor's memory to host memory. */
  PARITY_COPY_TO_HOST = 0,
  /** From host memory to the tensor's memory. */
  PARITY_COPY_FROM_HOST = 1
};

/** Copies `bytes` between the tensor's memory and host memory, and returns when they are there; 0 on success.
 * direction: PARITY_COPY_TO_HOST or PARITY_COPY_FROM_HOST. The recorder calls it from the thread that offers
 * the tensor, before the offering function returns. */
typedef int (*parity_copy)(void* context, void* to, const void* from, size_t bytes, int32_t direction);

/** Bits of parity_tensor.flags. */
enum {
  /** `order` is set. */
  PARITY_TENSOR_ORDERED = 1,
  /** The tensor was computed a second time in this step, as a checkpointed block does in the backward pass.
   * It is not recorded again; the teacher replaces its values. */
  PARITY_TENSOR_RECOMPUTED = 2
};

/** A tensor, or this rank's part of one. Since ABI 2. */
typedef struct parity_tensor {
  /** sizeof(parity_tensor). */
  size_t struct_size;
  /** From parity_recorder_intern; 0: `phase` and `name` are set. */
  int64_t id;
  /** The point of the step. */
  const char* phase;
  /** Name of the logical tensor. FORMAT.md says how an operator's tensor is named. */
  const char* name;
  /** float64 float32 bfloat16 float16 float8_e4m3fn float8_e5m2 int64 int32 int16 int8 uint8 bool. */
  const char* dtype;
  /** Number of dimensions; 0 for a scalar. */
  int32_t rank;
  /** PARITY_TENSOR_*. */
  uint32_t flags;
  /** `rank` sizes, outermost first. */
  const int64_t* shape;
  /** `rank` distances between neighbours along a dimension [elements]; NULL: row-major, contiguous. */
  const int64_t* strides;
  /** The first element. Copied before the call returns. */
  const void* data;
  /** The same address as `data` if faults and the teacher may change the elements; NULL: read only. */
  void* writable;
  /** Copies the elements of memory that the host cannot read; NULL: host memory. */
  parity_copy copy;
  /** First argument of `copy`. */
  void* copy_context;
  /** JSON object of FORMAT.md: where this rank's part is in the logical tensor; NULL: it is all of it. */
  const char* layout;
  /** With PARITY_TENSOR_ORDERED: position in the order of execution of this step, from 0. By default
   * positions follow the calls; the next default follows the highest position so far. */
  int64_t order;
  /** Number of this micro-batch, from 0. */
  int64_t micro_batch;
  /** Number of micro-batches whose rows make the tensor; 0: it is not offered in pieces. */
  int64_t micro_batches;
  /** Index of this piece's first row (dimension 0) in the logical tensor. */
  int64_t first_row;
  /** Rows of the logical tensor. Not needed with a layout, whose global_shape has it. */
  int64_t rows;
} parity_tensor;

/** Offers a tensor. First the capture's faults change its values, then it is recorded as the capture asks,
 * then the teacher's values replace its own. Since ABI 2. */
PARITY_RECORDER_API int parity_recorder_offer(parity_recorder* recorder, const parity_tensor* tensor);

/** Offers a tensor whose memory a DLPack struct describes.
 * about: id or phase and name, flags, layout, order, micro-batch and copy; its dtype, rank, shape, strides
 * and data are ignored. A tensor on a device needs `copy`. If `writable` is not NULL, the elements may be
 * changed. dl_tensor: a DLTensor*, or a DLManagedTensor*, which begins with one; of a
 * DLManagedTensorVersioned the address of its dl_tensor. The caller keeps it: no deleter is called. Since
 * ABI 2. */
PARITY_RECORDER_API int parity_recorder_offer_dlpack(parity_recorder* recorder, const parity_tensor* about,
                                                     const void* dl_tensor);

/** What was measured of a tensor: norm, extremes, digest and sketch. Since ABI 4. */
typedef struct parity_measured parity_measured;

/** Returns 1 if this process can measure memory of a CUDA device where it is, else 0. Then
 * parity_recorder_last_error returns why. device: its number among the visible ones. Since ABI 4. */
PARITY_RECORDER_API int parity_recorder_measures_cuda(int32_t device);

/** Measures a tensor in memory of a CUDA device; NULL on failure. The numbers have the same bits as on the
 * host. About 600 bytes come to the host, whatever the tensor's size. It waits for the stream.
 * tensor: dtype, rank, shape, data and layout count. The elements are row-major. Not a piece of
 * micro-batches. stream: the cudaStream_t whose work so far has written the elements; NULL: the default
 * stream. Since ABI 4. */
PARITY_RECORDER_API parity_measured* parity_recorder_measure_cuda(parity_recorder* recorder,
                                                                  const parity_tensor* tensor, int32_t device,
                                                                  void* stream);

/** Offers a tensor by what was measured of it, perhaps before the step began. It fails if the capture wants
 * the elements (parity_recorder_wants_elements_id).
 * about: id or phase and name, flags and order. Leave layout and micro-batches 0: they are those that were
 * measured. Since ABI 4. */
PARITY_RECORDER_API int parity_recorder_offer_measured(parity_recorder* recorder, const parity_tensor* about,
                                                       const parity_measured* measured);

/** Frees it. NULL is allowed. Since ABI 4. */
PARITY_RECORDER_API void parity_recorder_free_measured(parity_measured* measured);

/** Records a tensor as the capture asks.
 * data: row-major, contiguous, copied before the call returns. shape: `rank` sizes, outermost first. */
PARITY_RECORDER_API int parity_recorder_tensor(parity_recorder* recorder, const char* phase, const char* name,
                                               const char* dtype, int32_t rank, const int64_t* shape,
                                               const void* data);
/** @} */

/** \name Replay: what another trainer needs to repeat the run
 * @{ */

/** Returns 1 if the capture asks for it, 0 if not, -1 on failure. Since ABI 2. */
PARITY_RECORDER_API int parity_recorder_wants_replay(parity_recorder* recorder);

/** Records the initial value of a parameter, or of the part that this rank holds. Does nothing unless the
 * capture asks for replay. Of `tensor`, only name, dtype, shape, strides, data and copy count. Since ABI 2.
 */
PARITY_RECORDER_API int parity_recorder_replay_parameter(parity_recorder* recorder,
                                                         const parity_tensor* tensor);

/** Records one field of a micro-batch. Does nothing unless the capture asks for replay.
 * step: the update, from 1. micro_batch: its number in the update, from 0. tensor: int64 [B, S]; its name is
 * the field: tokens, labels or positions. Since ABI 2. */
PARITY_RECORDER_API int parity_recorder_replay_batch(parity_recorder* recorder, int64_t step,
                                                     int64_t micro_batch, const parity_tensor* tensor);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
