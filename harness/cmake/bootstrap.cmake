# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing before project() looks for it: Debian packages when this is root on Debian,
# and the pinned PyPI packages in a virtual environment. Runs in script order; safe to run again.
#
# Both lists have sections, and a build installs those it needs:
#   harness  always
#   trainer  with PARITY_REFERENCE: LibTorch
#   tests    with PARITY_BUILD_TESTS: witnesses, browser, clang
#   texts    with PARITY_REFERENCE and PARITY_BUILD_TESTS, or PARITY_PARQUET=ON: tokenizers of Hugging Face and Parquet
#   cuda     with PARITY_CUDA=ON, or AUTO on a machine with an NVIDIA GPU: the plug-in of parity-train
#   cuda_libraries  with cuda, and with tests for PyTorch in Python

cmake_policy(VERSION 3.25) # also run by itself: cmake -P

get_filename_component(_parity_root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
# Inside another project (add_subdirectory) only the libraries are built, and nothing is installed on the machine.
set(_parity_is_top OFF)
if(CMAKE_SCRIPT_MODE_FILE OR CMAKE_SOURCE_DIR STREQUAL _parity_root)
  set(_parity_is_top ON)
endif()

set(PARITY_VENV "${_parity_root}/build/venv" CACHE PATH
    "Virtual environment with the pinned PyPI packages; shared by all presets")
option(PARITY_BOOTSTRAP "Install missing Debian and PyPI packages while configuring" ${_parity_is_top})
option(PARITY_PROGRAM "Build the program parity, not only the libraries" ${_parity_is_top})
option(PARITY_REFERENCE "Build parity-train (needs LibTorch)" ${_parity_is_top})
option(PARITY_BUILD_TESTS "Build the tests (needs the tests' packages, 4 GB)" OFF)
set(PARITY_CUDA AUTO CACHE STRING "Build the CUDA plug-in of parity-train: AUTO, ON or OFF")
set_property(CACHE PARITY_CUDA PROPERTY STRINGS AUTO ON OFF)

set(PARITY_PARQUET AUTO CACHE STRING "Let parity-train read Parquet files: AUTO, ON or OFF")
set_property(CACHE PARITY_PARQUET PROPERTY STRINGS AUTO ON OFF)

set(PARITY_BUNDLE "" CACHE PATH "Folder written by the preset bundle: take every package from it, without a network or root")
set(PARITY_OWN_TORCH FALSE) # the user's own LibTorch
if(Torch_DIR OR Torch_ROOT OR "$ENV{Torch_DIR}" OR "$ENV{Torch_ROOT}")
  set(PARITY_OWN_TORCH TRUE)
endif()

# --- sections ------------------------------------------------------------------------------------

set(_parity_sections harness)
if(PARITY_REFERENCE)
  list(APPEND _parity_sections trainer)
endif()
if(PARITY_BUILD_TESTS)
  list(APPEND _parity_sections tests)
endif()
if(PARITY_REFERENCE AND (PARITY_BUILD_TESTS OR PARITY_PARQUET STREQUAL "ON"))
  list(APPEND _parity_sections texts)
endif()
if(PARITY_REFERENCE AND (PARITY_CUDA STREQUAL "ON" OR (PARITY_CUDA STREQUAL "AUTO" AND EXISTS "/dev/nvidiactl")))
  list(APPEND _parity_sections cuda)
endif()
if("cuda" IN_LIST _parity_sections OR (PARITY_REFERENCE AND PARITY_BUILD_TESTS))
  list(APPEND _parity_sections cuda_libraries)
endif()

# The lines of a file's section.
function(_parity_section file section out)
  file(STRINGS "${_parity_root}/harness/cmake/${file}" lines)
  set(wanted "")
  set(inside FALSE)
  foreach(line IN LISTS lines)
    if(line MATCHES "^<(.*)>$")
      string(COMPARE EQUAL "${CMAKE_MATCH_1}" "${section}" inside)
    elseif(inside AND line MATCHES "^[a-z]")
      list(APPEND wanted "${line}")
    endif()
  endforeach()
  set(${out} "${wanted}" PARENT_SCOPE)
endfunction()

# --- Debian packages -----------------------------------------------------------------------------

function(_parity_missing_packages out)
  set(wanted "")
  foreach(section IN LISTS _parity_sections)
    _parity_section(debian-packages.txt ${section} lines)
    list(APPEND wanted ${lines})
  endforeach()
  execute_process(
    COMMAND dpkg-query -W -f "\${Status} \${Package}\\n" ${wanted}
    OUTPUT_VARIABLE listing ERROR_QUIET)
  set(missing "")
  foreach(package IN LISTS wanted)
    string(REGEX REPLACE "([+.])" "\\\\\\1" pattern "${package}")
    if(NOT listing MATCHES "install ok installed ${pattern}\n")
      list(APPEND missing ${package})
    endif()
  endforeach()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

function(_parity_install_packages)
  find_program(_dpkg_query dpkg-query)
  if(NOT _dpkg_query)
    message(STATUS "parity: not a Debian system; taking libraries as they are found")
    return()
  endif()
  _parity_missing_packages(missing)
  if(NOT missing)
    return()
  endif()
  list(JOIN missing " " line)
  execute_process(COMMAND id -u OUTPUT_VARIABLE uid OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT uid EQUAL 0)
    message(FATAL_ERROR
      "Debian packages are missing (they hold libraries and tools the build uses). Run:\n"
      "  sudo apt-get install -y --no-install-recommends ${line}\n"
      "and configure again.")
  endif()
  message(STATUS "parity: installing Debian packages: ${line}")
  set(apt ${CMAKE_COMMAND} -E env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  execute_process(COMMAND dpkg --configure -a OUTPUT_QUIET) # mends an installation that was cut off
  execute_process(COMMAND ${apt} update OUTPUT_QUIET)
  execute_process(
    COMMAND ${apt} install -y --no-install-recommends ${missing}
    OUTPUT_QUIET RESULT_VARIABLE failed)
  _parity_missing_packages(missing)
  if(missing)
    list(JOIN missing " " line)
    message(FATAL_ERROR
      "apt-get could not install: ${line} (exit status ${failed}). "
      "Look at the lines above, or run: apt-get install -y ${line}")
  endif()
endfunction()

# --- PyPI packages -------------------------------------------------------------------------------

# The lines of a section and their hash.
function(_parity_python_packages section lines hash)
  _parity_section(requirements.txt ${section} wanted)
  if(PARITY_OWN_TORCH)
    list(FILTER wanted EXCLUDE REGEX "^(torch|nvidia)")
  endif()
  string(SHA256 digest "${wanted}")
  set(${lines} "${wanted}" PARENT_SCOPE)
  set(${hash} "${digest}" PARENT_SCOPE)
endfunction()

# A section's stamp is written last and holds the hash of what was asked for: no stamp means that this section is not
# there (or was interrupted: pip installs it again), another hash that its versions changed, and then the whole
# environment starts anew.
function(_parity_install_venv)
  file(LOCK "${PARITY_VENV}.lock" GUARD FUNCTION TIMEOUT 1800)
  set(missing "")
  foreach(section IN LISTS _parity_sections)
    _parity_python_packages(${section} lines hash)
    set(stamp "${PARITY_VENV}/parity-bootstrap-${section}")
    if(EXISTS "${stamp}")
      file(READ "${stamp}" found)
      if(NOT found STREQUAL hash)
        file(REMOVE_RECURSE "${PARITY_VENV}")
        set(missing "${_parity_sections}")
        break()
      endif()
    else()
      list(APPEND missing ${section})
    endif()
  endforeach()
  if(NOT EXISTS "${PARITY_VENV}/bin/python")
    set(missing "${_parity_sections}")
  endif()
  if(NOT missing)
    return()
  endif()

  if(NOT EXISTS "${PARITY_VENV}/bin/python")
    file(REMOVE_RECURSE "${PARITY_VENV}")
    # The distribution's interpreter, not the first on PATH: the wheels are pinned for its version.
    execute_process(COMMAND /usr/bin/python3 -m venv "${PARITY_VENV}" RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "could not make ${PARITY_VENV} with /usr/bin/python3 (exit status ${failed}); "
        "is python3-venv installed?")
    endif()
  endif()
  set(size_harness "10 MB to fetch")
  set(size_trainer "0.5 GB to fetch, 1.2 GB installed")
  set(size_tests "50 MB to fetch")
  set(size_texts "60 MB to fetch")
  set(size_cuda "0.1 GB to fetch")
  set(size_cuda_libraries "1.5 GB to fetch, 3 GB installed")
  foreach(section IN LISTS missing)
    _parity_python_packages(${section} lines hash)
    if(lines)
      message(STATUS "parity: PyPI packages for ${section} into ${PARITY_VENV} (${size_${section}})")
      list(JOIN lines "\n" text)
      file(WRITE "${PARITY_VENV}/requirements-${section}.txt" "${text}\n")
      execute_process(
        COMMAND "${PARITY_VENV}/bin/python" -m pip install --quiet --no-input --disable-pip-version-check
                --no-cache-dir --no-deps --force-reinstall -r "${PARITY_VENV}/requirements-${section}.txt"
        RESULT_VARIABLE failed)
      if(failed)
        message(FATAL_ERROR "pip could not install the section ${section} of harness/cmake/requirements.txt "
          "(exit status ${failed}); look at the lines above; configuring again goes on with it")
      endif()
    endif()
    file(WRITE "${PARITY_VENV}/parity-bootstrap-${section}" "${hash}")
  endforeach()
endfunction()

# --- a bundle in place of both ---------------------------------------------------------------------

# Unpacks the bundle, and makes CMake and pkg-config look there. bundle.cmake has the compiler's part.
function(_parity_use_bundle)
  file(LOCK "${PARITY_VENV}.lock" GUARD FUNCTION TIMEOUT 1800)
  list(TRANSFORM _parity_sections PREPEND "--section=" OUTPUT_VARIABLE sections)
  execute_process(
    COMMAND python3 "${_parity_root}/harness/cmake/bundle.py" unpack "${PARITY_BUNDLE}"
            --prefix "${PARITY_BUNDLE_PREFIX}" --venv "${PARITY_VENV}" ${sections}
    ERROR_VARIABLE words RESULT_VARIABLE failed)
  string(STRIP "${words}" words)
  if(failed)
    message(FATAL_ERROR "${words}")
  endif()
  file(GLOB torch "${PARITY_VENV}/lib/python3.*/site-packages/torch")
  if(PARITY_REFERENCE AND NOT PARITY_OWN_TORCH AND NOT torch)
    message(FATAL_ERROR "the bundle ${PARITY_BUNDLE} is slim (it has no LibTorch); "
      "give your own with -DTorch_DIR=, or build the harness alone with -DPARITY_REFERENCE=OFF")
  endif()
endfunction()

if(PARITY_BUNDLE)
  set(PARITY_BUNDLE_PREFIX "${PARITY_VENV}.system")
  _parity_use_bundle()
  file(GLOB PARITY_BUNDLE_LIBRARIES "${PARITY_BUNDLE_PREFIX}/usr/lib/*-linux-gnu")
  list(PREPEND CMAKE_PREFIX_PATH "${PARITY_BUNDLE_PREFIX}/usr")
  set(fmt_DIR "${PARITY_BUNDLE_LIBRARIES}/cmake/fmt" CACHE PATH "")
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "${PARITY_BUNDLE_PREFIX}")
  set(ENV{PKG_CONFIG_LIBDIR} "${PARITY_BUNDLE_LIBRARIES}/pkgconfig:${PARITY_BUNDLE_PREFIX}/usr/share/pkgconfig")
  set(ENV{LD_LIBRARY_PATH} "${PARITY_BUNDLE_LIBRARIES}:$ENV{LD_LIBRARY_PATH}") # for its own pkg-config
  find_program(PKG_CONFIG_EXECUTABLE NAMES pkg-config pkgconf HINTS "${PARITY_BUNDLE_PREFIX}/usr/bin")
  find_program(CMAKE_MAKE_PROGRAM NAMES ninja HINTS "${PARITY_BUNDLE_PREFIX}/usr/bin")
elseif(PARITY_BOOTSTRAP)
  _parity_install_packages()
  _parity_install_venv()
endif()
