# SPDX-License-Identifier: Apache-2.0
# cmake --install, in two components.
# runtime: the command, the libraries that other programs load, man pages and completion (where they are built); and, in
# share/pmufab, scenarios, scripts, and files that drivers are compiled with, in the same places as in the source tree.
# The drivers are GPL-2.0 and are never installed: pmufab driver fetch builds them for its user.
# development: libraries, public headers by folder under include/pmufab, so that "tlm/bus/mmio_bus.h" is found, and the
# package files of find_package(pmufab).
# Include this last, because pmufab_library fills the export set.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(data_dir ${CMAKE_INSTALL_DATADIR}/pmufab)
install(DIRECTORY scenarios DESTINATION ${data_dir})
install(PROGRAMS tools/build-drivers tools/read-patch.py tools/fetch-linux-sources DESTINATION ${data_dir}/tools)
install(FILES tools/common.sh tools/debian.sh DESTINATION ${data_dir}/tools)
install(DIRECTORY tools/python DESTINATION ${data_dir}/tools
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(DIRECTORY tools/guest DESTINATION ${data_dir}/tools USE_SOURCE_PERMISSIONS)
install(DIRECTORY testbench/host/runtime testbench/host/shim
  DESTINATION ${data_dir}/testbench/host)
install(FILES testbench/host/abi.h testbench/host/further-drivers.txt testbench/host/linux-drivers.txt
  DESTINATION ${data_dir}/testbench/host)
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE CHANGELOG.md docs/scenario-format.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pmufab)
install(DIRECTORY tlm models testbench
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pmufab
  COMPONENT development
  FILES_MATCHING PATTERN "*.h"
  PATTERN testbench/bench EXCLUDE
  PATTERN testbench/host/runtime EXCLUDE
  PATTERN testbench/host/shim EXCLUDE
  PATTERN testbench/campaigns/explore EXCLUDE
  PATTERN testbench/fuzz EXCLUDE
  PATTERN testbench/doors/guest EXCLUDE
  PATTERN testbench/doors/register_server EXCLUDE
  PATTERN testbench/doors/shell EXCLUDE
  PATTERN testbench/support EXCLUDE
  PATTERN testbench/tests EXCLUDE
  PATTERN testbench/fabrics/*/tests EXCLUDE
  PATTERN testbench/doors/vfio_user EXCLUDE)
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(EXPORT pmufabTargets NAMESPACE pmufab:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/pmufabConfig.cmake.in ${PROJECT_BINARY_DIR}/pmufabConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pmufabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/pmufabConfig.cmake
  ${PROJECT_BINARY_DIR}/pmufabConfigVersion.cmake
  cmake/PmufabImports.cmake
  DESTINATION ${package_dir}
  COMPONENT development)
