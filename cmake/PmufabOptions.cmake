# SPDX-License-Identifier: Apache-2.0
# Build settings of all targets of this project.
include(GNUInstallDirs)
# All that is not in the component "development"; see PmufabInstall.cmake.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

option(PMUFAB_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(PMUFAB_FUZZ "Build for libFuzzer with clang, sanitizers included: testbench/fuzz" OFF)
option(PMUFAB_BUILD_TESTING "Build the tests" ON)
option(PMUFAB_BUILD_BENCHMARKS "Build the benchmarks" ON)
# Precompiled headers save a third of a build from nothing. A compiler cache cannot look into them, and needs them less.
set(pmufab_precompile_default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(pmufab_precompile_default OFF)
endif()
option(PMUFAB_PRECOMPILE_HEADERS "Precompile the headers of SystemC, GoogleTest and the standard library"
  ${pmufab_precompile_default})
# Batches save another half, but a change of one unit compiles its whole batch. They are for builds from nothing, as in
# continuous integration and tools/demo. Names in unnamed namespaces must then differ within a target; test files that
# share names have their own namespaces.
option(PMUFAB_UNITY_BUILD "Compile the units of a target in batches" OFF)

# Where the build puts man pages and bash completion.
set(PMUFAB_DOCUMENTS_DIR ${PROJECT_BINARY_DIR}/tools/documents)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(pmufab_settings INTERFACE)
target_compile_options(pmufab_settings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror)
# g++ 14 claims that parts of containers are used uninitialised. g++ 12 and clang check this too, and find nothing.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(pmufab_settings INTERFACE -Wno-maybe-uninitialized)
endif()
# Position-independent code may be put into a shared library, where another library can replace its functions. Nobody
# does that, so the compiler may inline them: runs take 2 to 9 % less time. For clang it is the default.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(pmufab_settings INTERFACE -fno-semantic-interposition)
endif()
# In a batch, a name may hide one of another unit.
if(NOT PMUFAB_UNITY_BUILD)
  target_compile_options(pmufab_settings INTERFACE -Wshadow)
endif()
# g++ warns of these without batches, and compiles most tests in no stage of tools/test.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(pmufab_settings INTERFACE -Wshadow-uncaptured-local)
endif()
# Collecting the compiler's memory late saves a tenth of its time; with sanitizers a unit needs up to 1.2 GiB. A
# compiler cache would compile everything again because of the option. clang-tidy (the lint preset) does not know it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND PMUFAB_PRECOMPILE_HEADERS)
  add_compile_options(--param=ggc-min-heapsize=1048576)
endif()
if(PMUFAB_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PMUFAB_FUZZ needs clang; use cmake --preset fuzz, after tools/setup --fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(PMUFAB_SANITIZE OR PMUFAB_FUZZ)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # A million pointers to places in the code are in a program with sanitizers. At a fixed address the linker fills them in;
  # otherwise they are filled in each time that it starts, which takes a third of what a short test needs.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  # Each check describes its place in data, which stay when the linker drops all but one copy of an inline function. The
  # search for leaks reads all data at the end of each process.
  add_compile_options(-fdata-sections)
  add_link_options(-Wl,--gc-sections)
  # Drivers run on stacks of their own, so this is off when programs run, too (ASAN_OPTIONS of the preset).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fsanitize-address-use-after-return=never)
    # Half of the code that UndefinedBehaviorSanitizer's checks of pointers make is in templates of the standard library,
    # GoogleTest, {fmt} and JSON. There, AddressSanitizer finds accesses through null and to where no object is, and the
    # library's own assertions find elements that a container does not have. Nothing finds a wrong type or alignment there.
    add_compile_options(-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer_ignore.txt)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
    # The check "function" finds calls through pointers to functions of another type. GCC refuses most casts that lead to
    # such calls (-Wcast-function-type: another number or kind of parameters). Nothing checks functions that a library gives
    # by name. The check describes the types of all functions, and these descriptions are two thirds of the objects that
    # AddressSanitizer registers whenever a program starts. From version 17 on, it also takes the 64 bits of C and of C++
    # for two types.
    add_compile_options(-fno-sanitize=function)
  endif()
  # GCC and clang define different macros for sanitizers.
  add_compile_definitions(PMUFAB_SANITIZED)
endif()

# mold links several times as fast as the default linker, which matters for a hundred test programs.
find_program(PMUFAB_MOLD mold)
if(PMUFAB_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Headers that nearly every unit includes. Units still include all they use, because tools/lint sees them without this.
set(pmufab_common_headers <algorithm> <functional> <map> <memory> <optional> <set> <string> <vector> <fmt/format.h>
  <systemc> <tlm>)
set(pmufab_test_headers ${pmufab_common_headers} <gmock/gmock.h> <gtest/gtest.h>)
list(TRANSFORM pmufab_common_headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
list(TRANSFORM pmufab_test_headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")

# pmufab_precompile(target from): lets the target use the precompiled headers of the target `from`.
function(pmufab_precompile target from)
  if(PMUFAB_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# pmufab_unity(target units): compiles the target in batches of so many units, if PMUFAB_UNITY_BUILD is on.
function(pmufab_unity target units)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PMUFAB_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE ${units})
endfunction()

# What needs an optimised build without sanitizers: the command, the benchmarks, and tests that count allocations.
# tools/test --all builds only this, beside the sanitizers' build, in which all tests run.
add_custom_target(optimised)
# What tools/test without --all builds: the programs of tests that are not THOROUGH, and no benchmarks.
add_custom_target(quick)

# Code that does not simulate compiles a quarter faster with less optimisation. Under the sanitizers it compiles twice
# as fast with none. In other builds it is compiled like the rest.
set(pmufab_cold_code "")
if(PMUFAB_SANITIZE)
  set(pmufab_cold_code -O0)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(pmufab_cold_code -O1)
endif()
# Most of a test is run once, so optimising it takes longer than it saves. Of the time to compile it for the sanitizers,
# lines of its own stacks would be a quarter; GoogleTest tells the lines of failures.
set(pmufab_test_code -O0)
if(PMUFAB_SANITIZE)
  list(APPEND pmufab_test_code -g0)
endif()

# The precompiled headers of libraries that are COLD: clang wants them compiled with the options of their users.
function(pmufab_cold_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cold_headers.cpp CONTENT "")
  add_library(pmufab_cold_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/cold_headers.cpp)
  target_link_libraries(pmufab_cold_headers PRIVATE pmufab_tlm pmufab_settings)
  target_compile_options(pmufab_cold_headers PRIVATE ${pmufab_cold_code})
  target_precompile_headers(pmufab_cold_headers PRIVATE ${pmufab_common_headers})
endfunction()

# pmufab_library(tlm [FOLDER folder] [COLD | COOL] [NO_INSTALL] SOURCES ... LINK ... [PRIVATE ...]): a static library
# pmufab_tlm with the alias pmufab::tlm. Without SOURCES it has only headers: those in HEADERS, or all of its folder. LINK
# is what its headers include; PRIVATE is what its sources include besides. Its files are in FOLDER or below, from which
# SOURCES and HEADERS are named, or else in the folder of the list; docs/architecture.md has the rules. COLD: its code
# does not run once per request, so it is optimised less. COOL: only little of it does, so that it is optimised, but not
# under the sanitizers. NO_INSTALL: it is neither installed nor exported, because only this project's own programs use it.
function(pmufab_library name)
  cmake_parse_arguments(ARG "COLD;COOL;NO_INSTALL" "FOLDER" "SOURCES;HEADERS;LINK;PRIVATE" ${ARGN})
  if(ARG_FOLDER)
    list(TRANSFORM ARG_SOURCES PREPEND ${ARG_FOLDER}/)
    list(TRANSFORM ARG_HEADERS PREPEND ${ARG_FOLDER}/)
  endif()
  if(ARG_COOL AND PMUFAB_SANITIZE)
    set(ARG_COLD ON)
  endif()
  set(public PUBLIC)
  set(with_systemc ${ARG_LINK} ${ARG_PRIVATE})
  list(REMOVE_ITEM with_systemc pmufab::register_access) # plain C++
  if(ARG_SOURCES)
    add_library(pmufab_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(pmufab_${name} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:pmufab_settings>)
    if(name STREQUAL "tlm" AND PMUFAB_PRECOMPILE_HEADERS)
      target_precompile_headers(pmufab_tlm PRIVATE ${pmufab_common_headers})
      pmufab_cold_headers()
    elseif("${with_systemc}" MATCHES "pmufab::") # and so with SystemC's settings
      if(ARG_COLD AND pmufab_cold_code)
        pmufab_precompile(pmufab_${name} pmufab_cold_headers)
      else()
        pmufab_precompile(pmufab_${name} pmufab_tlm)
      endif()
    endif()
    if(ARG_COLD)
      target_compile_options(pmufab_${name} PRIVATE ${pmufab_cold_code})
    endif()
    pmufab_unity(pmufab_${name} 32)
    add_dependencies(optimised pmufab_${name})
  else()
    set(public INTERFACE)
    add_library(pmufab_${name} INTERFACE ${ARG_HEADERS})
  endif()
  add_library(pmufab::${name} ALIAS pmufab_${name})
  set_target_properties(pmufab_${name} PROPERTIES EXPORT_NAME ${name} PMUFAB_FOLDER "${ARG_FOLDER}")
  target_compile_features(pmufab_${name} ${public} cxx_std_20)
  target_include_directories(pmufab_${name} ${public}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/pmufab>)
  target_link_libraries(pmufab_${name} ${public} ${ARG_LINK})
  if(NOT ARG_NO_INSTALL)
    install(TARGETS pmufab_${name} EXPORT pmufabTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  endif()
endfunction()

# pmufab_test(name [LONG] [NOT_SANITIZED] [OPTIMISED] [THOROUGH] [TOGETHER] [PREFIX text] SOURCES ... LINK ...): a GoogleTest
# program. SystemC elaborates once per process, so each of its tests has a process of its own: as a ctest test with the
# label "single", and as one of those that a part of the program forks, a ctest test with the label "program". Presets of
# tests choose one label. LONG: some tests take many seconds, so they start before others. TOGETHER: all tests are one
# ctest test, because none of them simulates.
# NOT_SANITIZED: sanitizers would take too long, or see nothing more in it; tools/test --all runs it in the optimised
# build.
# What is not has the label "sanitized": tools/test --all runs it in the sanitizers' build alone. THOROUGH: what
# it costs is left to tools/test --all, by the label "thorough", which other tests have, too.
# OPTIMISED: the test's own code simulates, so it is optimised as the models are. PREFIX: of the names of its tests,
# because another program has the same tests.
# Folders share programs, because each program costs headers, templates and a link: a further call with the same name and
# options adds to the program.
function(pmufab_test name)
  if(NOT PMUFAB_BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "LONG;NOT_SANITIZED;OPTIMISED;THOROUGH;TOGETHER" "PREFIX" "SOURCES;LINK" ${ARGN})
  if(PMUFAB_SANITIZE AND ARG_NOT_SANITIZED)
    return()
  endif()
  set(options "${ARG_LONG};${ARG_NOT_SANITIZED};${ARG_OPTIMISED};${ARG_THOROUGH};${ARG_TOGETHER}")
  if(TARGET ${name})
    get_target_property(options_of_program ${name} PMUFAB_TEST_OPTIONS)
    if(NOT options STREQUAL options_of_program)
      message(FATAL_ERROR "pmufab_test(${name}): its folders give it different options")
    endif()
    target_sources(${name} PRIVATE ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PMUFAB_TEST_OPTIONS "${options}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} pmufab::testing pmufab_settings)
  if(ARG_OPTIMISED)
    pmufab_precompile(${name} pmufab_optimised_test_headers)
  else()
    target_compile_options(${name} PRIVATE ${pmufab_test_code})
    pmufab_precompile(${name} pmufab_test_headers)
  endif()
  pmufab_unity(${name} 32)
  if(ARG_NOT_SANITIZED)
    add_dependencies(optimised ${name})
  endif()
  if(NOT ARG_THOROUGH)
    add_dependencies(quick ${name})
  endif()
  # Parameters appear with the name or number a test gives them, not as bytes.
  set(cost 0)
  if(ARG_LONG)
    set(cost 10)
  endif()
  if(ARG_TOGETHER)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 COST ${cost})
    if(NOT ARG_NOT_SANITIZED)
      set_tests_properties(${name} PROPERTIES LABELS sanitized)
    endif()
    return()
  endif()
  # All tests: a part of a program, which forks a process for each. Much of the time of most tests is loading the program.
  set(parts 2)
  if(ARG_LONG)
    set(parts 8)
  endif()
  set(labels program)
  if(NOT ARG_NOT_SANITIZED)
    list(APPEND labels sanitized)
  endif()
  if(ARG_THOROUGH)
    list(APPEND labels thorough)
  endif()
  foreach(part RANGE 1 ${parts})
    add_test(NAME ${name}.${part} COMMAND ${name})
    set_tests_properties(${name}.${part} PROPERTIES TIMEOUT 1800 COST ${cost} LABELS "${labels}"
      ENVIRONMENT "PMUFAB_EACH_TEST_ALONE=${part}/${parts};GTEST_BRIEF=1")
  endforeach()
  # One test: ctest -R.
  if(NOT PMUFAB_SANITIZE)
    # CMake 3.31 warns of a keyword whose value is empty.
    set(prefix "")
    if(ARG_PREFIX)
      set(prefix TEST_PREFIX ${ARG_PREFIX})
    endif()
    gtest_discover_tests(${name} ${prefix} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 300 COST ${cost} LABELS single)
  endif()
endfunction()
