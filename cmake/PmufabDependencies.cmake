# SPDX-License-Identifier: Apache-2.0
# Everything comes from Debian packages; tools/setup installs them. What an installed pmufab needs is repeated in
# pmufabConfig.cmake.in.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
include(PmufabImports)
if(PMUFAB_BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(PMUFAB_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
