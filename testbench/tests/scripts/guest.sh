# SPDX-License-Identifier: Apache-2.0
# Sourced, behind expect.sh, by tests that boot a guest from the repository: where none is prepared they are skipped.
# shellcheck shell=bash
cd "${repository:?}" || exit
if [[ ! -e ${PMUFAB_GUEST:-.cache/guest}/.complete ]]; then
  echo "SKIPPED: there is no guest; tools/guest/prepare makes one."
  exit 77
fi
