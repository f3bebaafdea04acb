#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dsdt_test.sh ACPI_BLOBS FOLDER: loads the DSDTs of platforms into acpiexec, whose interpreter is Linux's. Exit code 77
# if it is not installed (Debian package acpica-tools).
source "$(dirname "$0")/../../scripts/expect.sh"
acpi_blobs=$1 folder=$2
if ! command -v acpiexec >/dev/null; then
  echo 'acpiexec is missing'
  exit 77
fi
rm -rf "$folder"

# load PLATFORM: makes its tables and takes the DSDT, which is the first. Firmware must write its checksum.
load() {
  local length checksum
  "$acpi_blobs" "$repository/scenarios/platforms/$1.yaml" "$folder/$1" >/dev/null
  length=$(od -An -t u4 -j 4 -N 4 "$folder/$1/tables")
  head -c "$length" "$folder/$1/tables" >"$folder/$1/dsdt"
  dsdt=$folder/$1/dsdt
  checksum=$(od -An -v -t u1 "$dsdt" |
    awk '{ for (i = 1; i <= NF; i++) sum += $i } END { printf "%03o", (256 - sum % 256) % 256 }')
  # shellcheck disable=SC2059
  printf "\\$checksum" | dd of="$dsdt" bs=1 seek=9 conv=notrunc status=none
}

# ask COMMAND: prints acpiexec's answer, with single blanks between columns.
ask() {
  expect 0 bash -c 'printf "%s\nquit\n" "$2" | acpiexec "$1" 2>&1 | tr -s " "' _ "$dsdt" "$1"
  if grep -E 'AE_[A-Z]+|Firmware (Warning|Error)' <<<"$output" |
    grep -vq 'SetCurrentResources failed: AE_NOT_FOUND'; then
    printf 'acpiexec complains:\n%s\n' "$output"
    exit 1
  fi
}

pci_uuid='5B 4D DB 33 F7 1F 1C 40 96 57 74 41 C0 3D D7 66'
cxl_uuid='0B D5 F2 68 69 C4 8A 4D BD 3D 94 1A 10 3F D3 FC'

load tegra410-2s
# A processor is in its container, with the UIDs of the platform. CPU 88 is the first of socket 1.
ask 'evaluate \_SB.P001._HID'
says 'ACPI0010'
ask 'evaluate \_SB.P001._UID'
says '[Integer] = 0000000000000001'
ask 'evaluate \_SB.P001.C001._UID'
says '[Integer] = 0000000000000058'

# The host bridge grants Linux what it can of the requested features, and reports it.
ask "evaluate \\_SB.PCI0._OSC ($pci_uuid) 1 3 (00 00 00 00 1F 00 00 00 1F 00 00 00)"
says 'Length 0C = 0000: 00 00 00 00 1F 00 00 00 1F 00 00 00'
ask "evaluate \\_SB.PCI0._OSC ($pci_uuid) 1 3 (01 00 00 00 1F 00 00 00 3F 00 00 00)"
says 'Length 0C = 0000: 11 00 00 00 1F 00 00 00 1F 00 00 00'
ask "evaluate \\_SB.PCI0._OSC ($cxl_uuid) 1 5 (00 00 00 00 1F 00 00 00 1D 00 00 00 0F 00 00 00 01 00 00 00)"
says '0000: 00 00 00 00 1F 00 00 00 1D 00 00 00 0F 00 00 00'
says '0010: 01 00 00 00'
ask "evaluate \\_SB.PCI0._OSC ($cxl_uuid) 1 5 (00 00 00 00 1F 00 00 00 1F 00 00 00 0F 00 00 00 03 00 00 00)"
says '0000: 10 00 00 00 1F 00 00 00 1F 00 00 00 0F 00 00 00'
says '0010: 01 00 00 00'
ask "evaluate \\_SB.PCI0._OSC (${pci_uuid/5B/5C}) 1 3 (00 00 00 00 1F 00 00 00 1F 00 00 00)"
says 'Length 0C = 0000: 04 00 00 00 1F 00 00 00 1F 00 00 00'

# Linux must not place PCI functions where the platform's registers are.
ask 'resources \_SB.PCI0'
says 'Address Minimum : 0000008000000000'
says 'Address Maximum : 0000008FFFFFFFFF'
says 'Translation Offset : 000000003EFF0000'
# As QEMU wires them: INTA of device 1 is 36, INTD is 35.
routes=$(tr -d '\n' <<<"$output")
for route in 'Pin : 00000000 Source : [NULL NAMESTRING] Source Index : 00000024' \
  'Pin : 00000003 Source : [NULL NAMESTRING] Source Index : 00000023'; do
  [[ $routes == *"Address : 000000000001FFFF $route"* ]] ||
    { printf 'not routed: %s\n%s\n' "$route" "$output"; exit 1; }
done

# The first CMEM latency PMU has a numeric string as UID and 15 windows. An address filter block has its root complex.
ask 'evaluate \_SB.D000._HID'
says '"NVDA2021"'
ask 'evaluate \_SB.D000._UID'
says '[String] Length 01 = "0"'
ask 'resources \_SB.D000'
[[ $(grep -c 'Consumer/Producer : ResourceConsumer' <<<"$output") == 15 ]] ||
  { echo "not 15 windows: $output"; exit 1; }
ask 'evaluate \_SB.D009._HID'
says '"NVDA1071"'
ask 'evaluate \_SB.D009._UID'
says '[String] Length 01 = "7"'
ask 'evaluate \_SB.D009._DSD'
says '"instance_id"'
says '[Integer] = 0000000000000001'

# A mesh of the device tree keeps its name. A CMN-600 gets its root node, as in ACPI.
load ci700
ask 'evaluate \_SB.D000._HID'
says '"PRP0001"'
ask 'evaluate \_SB.D000._DSD'
says '"compatible"'
says '"arm,ci-700"'
ask 'resources \_SB.D000'
says 'Triggering : Edge'
says 'Polarity : ActiveHigh'
says '0000008F'
load cmn600-small
ask 'evaluate \_SB.D000._HID'
says '"ARMHC600"'
ask 'resources \_SB.D000'
# From the root node to the end of the registers.
for edge in 'Minimum 2' 'Maximum 1'; do
  [[ $(grep "Address ${edge% *}" <<<"$output" | sort -u | wc -l) == "${edge#* }" ]] ||
    { echo "not ${edge#* } ${edge% *}: $output"; exit 1; }
done
