# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder's library works in a process that has loaded LibTorch before it, with all its symbols visible.

Usage: beside_torch_test.py LIBRARY TORCH_CPU_LIBRARY FOLDER
"""
import ctypes
import pathlib
import shutil
import sys

LIBRARY, TORCH, FOLDER = sys.argv[1:]


def load():
    ctypes.CDLL(TORCH, mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(LIBRARY)
    library.parity_recorder_open.restype = ctypes.c_void_p
    library.parity_recorder_last_error.restype = ctypes.c_char_p
    for name in ("begin_step", "channel_f64", "tensor", "end_step", "finish", "close"):
        function = getattr(library, "parity_recorder_" + name)
        function.argtypes = {
            "begin_step": [ctypes.c_void_p, ctypes.c_int64],
            "channel_f64": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double, ctypes.c_int],
            "tensor": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int32,
                       ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p],
        }.get(name, [ctypes.c_void_p])
    return library


def open_trace(library, path, capture):
    recorder = library.parity_recorder_open(str(path).encode(), None, None, capture, ctypes.c_int64(0))
    assert recorder, library.parity_recorder_last_error()
    assert library.parity_recorder_begin_step(recorder, 1) == 0, library.parity_recorder_last_error()
    return recorder


def offer(library, recorder):
    values, shape = (ctypes.c_float * 3)(1, 2, 3), (ctypes.c_int64 * 1)(3)
    return library.parity_recorder_tensor(recorder, b"grad", b"w", b"float32", 1, shape, values)


def main():
    folder = pathlib.Path(FOLDER)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    library = load()

    recorder = open_trace(library, folder / "trace.h5", b'{"tensors": [{}]}')
    assert library.parity_recorder_channel_f64(recorder, b"loss", 0.5, 0) == 0
    assert offer(library, recorder) == 0, library.parity_recorder_last_error()
    assert library.parity_recorder_end_step(recorder) == 0
    assert library.parity_recorder_finish(recorder) == 0, library.parity_recorder_last_error()
    library.parity_recorder_close(recorder)
    assert (folder / "trace.h5").exists()

    # fmt writes this message: two versions of it in one process would mix here.
    recorder = open_trace(library, folder / "refused.h5",
                          b'{"faults": [{"kind": "scale", "phase": "grad", "name": "w", "size": 0.125}]}')
    assert offer(library, recorder) == 2
    message = library.parity_recorder_last_error().decode()
    assert "scale" in message and "0.125" in message, message
    library.parity_recorder_close(recorder)
    print("recorded beside LibTorch")


if __name__ == "__main__":
    main()
