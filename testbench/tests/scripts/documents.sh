# SPDX-License-Identifier: Apache-2.0
# Reads the kernel's documents, from the newest kernel that was fetched. Tests source this file. No part of the
# documents is kept here.
# shellcheck shell=bash

# find_documents LINUX_SOURCES: prints their folder.
find_documents() { echo "$(find "$1" -maxdepth 1 -name '[0-9]*' | sort -V | tail -1)/Documentation/admin-guide/perf"; }

# examples DOCUMENT: prints its perf commands, one per line.
examples() { sed -nE 's/^ +(\$ ?# ?)?(perf stat .*)/\2/p' "$1"; }

# vendor_examples DOCUMENT: prints those of a vendor's event, which vendor.yaml has.
vendor_examples() { examples "$1" | grep 'vid=' | sed 's/VID/0x1d0f/; s/GID/0x1/; s/MASK/0x3/'; }

# literal_block TITLE DOCUMENT: prints the literal block after a title.
literal_block() {
  awk -v title="$1" '
    index($0, title) == 1 { found = 1; next }
    found && /^[^ ]/ { exit }
    found { sub(/^  /, ""); print }
  ' "$2" | sed '/./,$!d'
}

# write_document_platforms FOLDER: writes files for the examples: platforms cxl.yaml and vendor.yaml, traffic
# devices.yaml.
write_document_platforms() {
  # A device whose first CPMU has the document's events, each group in the only capability the driver programs.
  cat >"$1/cxl.yaml" <<'YAML'
kind: cxl
name: documents
cxl:
  - cache: {lines: 64}
    decoders: [{base: 0x100_0000_0000, size: 1 GiB, coherency: HDM-D}]
    cpmus: [{groups: [{group: d2h_req}, {group: clock_ticks}], counters: 4, fixed: [{group: 1, events: clock_ticks}]}]
YAML
  cat >"$1/vendor.yaml" <<'YAML'
kind: cxl
name: documents-vendor
cxl:
  - decoders: [{base: 0x100_0000_0000, size: 1 GiB, coherency: HDM-DB}]
    cpmus: [{groups: [{vendor: 0x1d0f, id: 0x1, events: [m2s_req_memrd, m2s_rwd_memwr]}], counters: 4}]
YAML

  # Devices of the root complexes that the Tegra410's document counts, including the device with the document's BDF, and
  # accesses to BARs.
  cat >"$1/devices.yaml" <<'YAML'
name: documents
generators:
  - name: rc 1
    requester: {kind: pcie, socket: 0, root_complex: 1, root_port: 1, bdf: "81:00.0"}
    targets: &memory [{socket: 0, memory: cmem, size: 1 MiB}, {socket: 1, memory: cmem, size: 1 MiB}]
    mix: &mix {read: 2, write: 1}
    pacing: &pace {kind: exponential, requests_per_us: 20}
  - {name: rc 2, requester: {kind: pcie, socket: 1, root_complex: 2, root_port: 0, bdf: "01:00.0"}, targets: *memory, mix: *mix, pacing: *pace}
  - {name: rc 3, requester: {kind: pcie, socket: 1, root_complex: 3, root_port: 0, bdf: "01:00.0"}, targets: *memory, mix: *mix, pacing: *pace}
  - {name: rc 4, requester: {kind: pcie, socket: 0, root_complex: 4, root_port: 0, bdf: "01:10.0"}, targets: *memory, mix: *mix, pacing: *pace}
  - {name: bars, requester: {kind: cpu, socket: 0, id: 2}, targets: [{memory: bar, socket: 0, root_complex: 0, root_port: 0}], mix: *mix, pacing: *pace}
YAML
}
