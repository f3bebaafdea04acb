# SPDX-License-Identifier: Apache-2.0
# Tests that boot a guest from the repository source this file after expect.sh. Without a prepared guest they are
# skipped.
# shellcheck shell=bash
cd "${repository:?}" || exit
if [[ ! -e ${PMUFAB_GUEST:-.cache/guest}/.complete ]]; then
  echo "SKIPPED: there is no guest; tools/guest/prepare makes one."
  exit 77
fi
