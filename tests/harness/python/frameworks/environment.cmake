# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes PARITY_FRAMEWORKS_VENV: a virtual environment with other people's trainers on top of PARITY_VENV, whose PyTorch it
# uses through a .pth file, as it does the package of this tree. Its stamp holds the hashes of the requirements and of this
# file. Without a stamp, or with another one, the
# environment starts anew.

function(parity_make_frameworks_venv)
  set(requirements "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/requirements.txt")
  set(stamp "${PARITY_FRAMEWORKS_VENV}/parity-frameworks")
  file(LOCK "${PARITY_FRAMEWORKS_VENV}.lock" GUARD FUNCTION TIMEOUT 1800)
  file(SHA256 "${requirements}" wanted)
  file(SHA256 "${CMAKE_CURRENT_FUNCTION_LIST_FILE}" made_by)
  string(APPEND wanted " ${made_by}")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" found)
    if(found STREQUAL wanted)
      return()
    endif()
  endif()
  message(STATUS "parity: PyPI packages for frameworks into ${PARITY_FRAMEWORKS_VENV} (0.6 GB to fetch, 2 GB installed)")
  file(REMOVE_RECURSE "${PARITY_FRAMEWORKS_VENV}")
  # The interpreter of PARITY_VENV: PyTorch's wheel is for its version.
  execute_process(COMMAND "${PARITY_VENV}/bin/python" -m venv "${PARITY_FRAMEWORKS_VENV}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND "${PARITY_VENV}/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'), end='')"
    OUTPUT_VARIABLE ours COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND "${PARITY_FRAMEWORKS_VENV}/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'), end='')"
    OUTPUT_VARIABLE theirs COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${theirs}/parity_venv.pth" "${ours}\n${PROJECT_SOURCE_DIR}/harness/python/src\n")
  execute_process(
    COMMAND "${PARITY_FRAMEWORKS_VENV}/bin/python" -m pip install --quiet --no-input --disable-pip-version-check
            --no-cache-dir --no-deps -r "${requirements}"
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "pip could not install ${requirements} (exit status ${failed}); "
      "look at the lines above; configuring again starts anew")
  endif()
  file(WRITE "${stamp}" "${wanted}")
endfunction()
