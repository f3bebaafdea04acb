#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: cmn_mistakes_test.sh PMUFAB LINUX_SOURCES WORK
# Random cases of meshes find mistakes that are put into arm-cmn.c, each within a few dozen cases, and pass without them.
source "$(dirname "$0")/../../../../tests/campaigns/verify/mistakes.sh"
driver cmn arm-cmn.c 16 64
mistake domains '/static unsigned int arm_cmn_dtc_domain/,/^}/ s/CMN650_DTM_UNIT_INFO/CMN_DTM_UNIT_INFO/'
mistake ports 's/nid.port %= 2/nid.port %= 4/'
mistake shared-interrupts 's/irq_friend = i - j;/irq_friend = 0;/'
mistake filters '/static void arm_cmn_event_clear/,/^}/ s/filter\[hw->filter_sel\].count--/filter[hw->filter_sel].count -= 0/'
echo "all mistakes are found"
