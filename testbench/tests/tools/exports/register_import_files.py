# SPDX-License-Identifier: Apache-2.0
"""Files of registers for register_import_test.py, and what must come of them."""

RDL = """\
// A PMU of two channels.
reg event_counter {
  name = "Event counter"; regwidth = 64; accesswidth = 32;
  field { sw = r; hw = w; counter; } value[63:0] = 0;
};
regfile channel {
  default sw = rw; default hw = r;
  reg { field { desc = "which event; \\"0\\" is none"; } event[7:0] = 8'h1f; field { sw = w; } go; } SELECT;
  reg { field { rclr; } hits[4]; } HITS;
};
enum mode_e { off = 0; on = 1; };
addrmap pmu {
  desc = "A PMU";
  external event_counter CNT[4] @ 0x100 += 0x10;
  reg ctrl_r {
    field { hw = r; hwclr; encode = mode_e; } EN = 1, \\field [3:2];
    EN->sw = r;
  };
  ctrl_r CTRL @ 0;
  channel CH[2] @ 0x20 += 0x20;
  reg { default onwrite = woclr; field {} OVS[4]; } OVS @ 0x80;
  reg { regwidth = 16; field {} narrow[16]; } NARROW;
  /* Behind it, at a multiple of its size. */
  reg { regwidth = 64; field {} low[64]; } LAST[2];
  CTRL.field->reset = 2;
};
addrmap top { pmu P0 @ 0x2000_0000; pmu P1[2] @ 0x2000_1200 += 0x1_0000; };
"""

RDL_LINES = [
    "- name: P0", "base: 0x2000_0000", "- name: P10", "base: 0x2000_1000", "- name: P11", "base: 0x2001_1000",
    "counters: 4                    # TODO: how many there are", "width: 64                      # TODO: bits of a counter",
    # CNT
    "- name: CNT", "offset: 0x100", "width: 64", "halves: true", "count: 4", "stride: 0x10",
    "- {name: value, bits: 0-63, role: constant, value: 0x0}   # TODO: role: counter?",
    # of P10 and P11, which begin at 0x200 of a page
    "offset: 0x300",
    # CTRL
    "- {name: EN, bits: 0, role: constant, value: 0x1}", "- {name: field, bits: 2-3, value: 0x2}",
    # channels
    "- name: CH_SELECT", "offset: 0x20", "count: 2", "stride: 0x20",
    "- {name: event, bits: 0-7, value: 0x1f}   # TODO: role: event? which event; \"0\" is none",
    "- {name: go, bits: 8, role: command}",
    "- name: CH_HITS", "offset: 0x24", "- {name: hits, bits: 0-3}   # TODO: role: overflow, cleared: by_read?",
    "- {name: OVS, offset: 0x80, bits: 0-3}   # TODO: role: overflow?",
    "# - name: NARROW", "#   offset: 0x84", "- name: LAST", "offset: 0x88",
]

SVD = """\
<?xml version="1.0" encoding="utf-8"?>
<device schemaVersion="1.3">
  <name>CHIP</name><addressUnitBits>8</addressUnitBits><width>32</width>
  <size>32</size><access>read-write</access><resetValue>0x5</resetValue>
  <peripherals>
    <peripheral>
      <name>PMU0</name><description>Counts   what
        happens</description><baseAddress>0x40001400</baseAddress>
      <addressBlock><offset>0</offset><size>0x400</size><usage>registers</usage></addressBlock>
      <registers>
        <register>
          <name>CTRL</name><addressOffset>0x0</addressOffset>
          <fields>
            <field><name>A</name><bitRange>[3:0]</bitRange></field>
            <field><name>B</name><lsb>4</lsb><msb>5</msb><access>read-only</access></field>
            <field><name>C</name><bitOffset>6</bitOffset></field>
            <field derivedFrom="A"><name>D</name><bitOffset>8</bitOffset><bitWidth>2</bitWidth></field>
            <field><dim>2</dim><dimIncrement>4</dimIncrement><name>E%s</name><bitRange>[17:16]</bitRange></field>
          </fields>
        </register>
        <register derivedFrom="CTRL"><name>COPY</name><addressOffset>0x4</addressOffset></register>
        <register>
          <dim>3</dim><dimIncrement>8</dimIncrement><name>EVCNT%s</name><addressOffset>0x10</addressOffset>
          <resetValue>0</resetValue>
        </register>
        <register>
          <dim>2</dim><dimIncrement>4</dimIncrement><dimIndex>A,B</dimIndex><name>SEL_%s</name>
          <addressOffset>#1100000</addressOffset><access>write-only</access>
        </register>
        <register>
          <dim>2</dim><dimIncrement>0x8</dimIncrement><name>WIDE[%s]</name>
          <addressOffset>0x80</addressOffset><size>64</size>
        </register>
        <register>
          <name>STATUS</name><addressOffset>0x90</addressOffset><resetValue>0</resetValue>
          <fields>
            <field><name>R</name><bitRange>[3:0]</bitRange><readAction>clear</readAction></field>
            <field><name>Z</name><bitRange>[7:4]</bitRange>
              <modifiedWriteValues>zeroToClear</modifiedWriteValues></field>
            <field><name>S</name><bitRange>[11:8]</bitRange>
              <modifiedWriteValues>oneToSet</modifiedWriteValues></field>
          </fields>
        </register>
        <register>
          <name>OTHER_STATUS</name><alternateRegister>STATUS</alternateRegister><addressOffset>0x90</addressOffset>
        </register>
        <cluster>
          <dim>2</dim><dimIncrement>0x20</dimIncrement><name>CH[%s]</name><addressOffset>0x100</addressOffset>
          <register><name>GO</name><addressOffset>0x4</addressOffset></register>
        </cluster>
      </registers>
    </peripheral>
    <peripheral derivedFrom="PMU0"><name>PMU1</name><baseAddress>0x40012000</baseAddress></peripheral>
  </peripherals>
  <vendorExtensions><anything/></vendorExtensions>
</device>
"""

SVD_LINES = [
    "base: 0x4000_1000", "- name: CTRL", "offset: 0x400",
    "- {name: A, bits: 0-3, value: 0x5}", "- {name: B, bits: 4-5, role: constant, value: 0x0}", "- {name: C, bits: 6}",
    "- {name: D, bits: 8-9}", "- {name: E0, bits: 16-17}", "- {name: E1, bits: 20-21}",
    "- name: COPY", "offset: 0x404",
    "- {name: EVCNT, offset: 0x410, count: 3, stride: 0x8}   # TODO: role: counter?",
    "- {name: SEL_A, offset: 0x460, role: command}", "- {name: SEL_B, offset: 0x464, role: command}",
    "- {name: WIDE, offset: 0x480, width: 64, count: 2, value: 0x5}",
    "- {name: R, bits: 0-3}   # TODO: role: overflow, cleared: by_read?",
    "- {name: Z, bits: 4-7}   # TODO: role: overflow, cleared: by_zero?",
    "- {name: S, bits: 8-11}   # TODO: oneToSet",
    "# TODO: no PMU can have this: it is another view of STATUS", "# - {name: OTHER_STATUS, offset: 0x490, value: 0x5}",
    "- {name: CH_GO, offset: 0x504, count: 2, stride: 0x20, value: 0x5}",
]

# Command, file, further arguments, lines of the draft.
DRAFTS = [
    ("rdl", RDL, [], RDL_LINES),
    ("svd", SVD, [], SVD_LINES + ["- name: PMU0", "- name: PMU1", "base: 0x4001_2000"]),
    ("svd", SVD, ["--block", "PMU1"], ["pmus:", "- name: PMU1", "- {name: EVCNT, offset: 0x10, count: 3, stride: 0x8}"]),
    ("rdl", "addrmap a { reg { field {} f[7:0]; } r0 @ 4, r1 @ 0xc, r2 @ 0x14; };", [],
     ["- name: a", "base: 0x2000_0000              # TODO: the file does not tell it", "- name: r", "count: 3",
      "stride: 0x8", "- {name: f, bits: 0-7}"]),
]


def with_line(text, line, instead):
    """Return (text in which a line is another, its number)."""
    lines = text.splitlines(keepends=True)
    number = next(number for number, each in enumerate(lines) if line in each)
    lines[number] = lines[number].replace(line, instead)
    return "".join(lines), number + 1


def wrong(command, text, line, instead, message, later=0):
    changed, number = with_line(text, line, instead)
    return command, changed, number + later, message


# Command, file, line that is told, what is told.
WRONG = [
    ("rdl", RDL[:RDL.index("enum")] + "addrmap pmu {", 11, "the file ends in the addrmap pmu of line 11"),
    ("rdl", "", 0, "has no addrmap"),
    ("rdl", "addrmap a { };", 0, "has no registers"),
    wrong("rdl", RDL, "// A PMU", "`include \"x.rdl\" //", "`include is for a preprocessor"),
    wrong("rdl", RDL, "enum mode_e", "<% x %> enum mode_e", "<% is for a preprocessor"),
    ("rdl", "addrmap a {\n/* b", 2, "the comment /* has no end"),
    wrong("rdl", RDL, "regfile channel {", "regfile channel #(longint N = 2) {", "parameters"),
    wrong("rdl", RDL, "channel CH[2]", "channel #(.N(3)) CH[2]", "'#' stands where"),
    wrong("rdl", RDL, "channel CH[2]", "chanel CH[2]", "there is no component 'chanel', or"),
    wrong("rdl", RDL, "enum mode_e", "mem m { }; enum mode_e", "there is no component 'mem', or"),
    wrong("rdl", RDL, "desc = \"A PMU\"", "addressing = compact", "'addressing' is no property that is known here"),
    wrong("rdl", RDL, "EN->sw", "EM->sw", "there is no 'EM' here"),
    wrong("rdl", RDL, "event[7:0]", "event[0:7]", "has the bits [0:7]"),
    wrong("rdl", RDL, "OVS[4]", "OVS[33]", "has the bits [32:0], and the register 32 bits"),
    wrong("rdl", RDL, "go; }", "go[7:7]; }", "the field go of CH_SELECT overlaps another"),
    wrong("rdl", RDL, "ctrl_r CTRL @ 0", "ctrl_r CTRL @ 0x104", "the register CTRL overlaps CNT, of line 14"),
    wrong("rdl", RDL, "channel CH[2] @ 0x20 += 0x20", "channel CH[2] @ 0x20 += 0x4", "elements of CH overlap"),
    wrong("rdl", RDL, "8'h1f", "8'h1ff", "the reset value 0x1ff of event does not fit into 8 bits"),
    wrong("rdl", RDL, "8'h1f", "8'q1f", "'8'q1f' is no number"),
    wrong("rdl", RDL, "= 0;", "= 0 + 1;", "'+' stands where"),
    wrong("rdl", RDL, "regwidth = 16", "regwidth = 128", "regwidth is 128"),
    wrong("rdl", RDL, "reg { regwidth = 64; field {} low[64]; } LAST", "field {} LAST", "a field cannot stand in a addrmap"),
    ("svd", SVD[:SVD.index("<cluster>")], SVD[:SVD.index("<cluster>")].count("\n") + 1, "is no XML"),
    ("svd", "<chip/>", 0, "has no <device>"),
    wrong("svd", SVD, "<size>32</size>", "", "register CTRL: has no <size>", 7),
    wrong("svd", SVD, "<size>64</size>", "<size>128</size>", "register WIDE[%s]: <size> is 128", -2),
    wrong("svd", SVD, "<addressOffset>0x4</addressOffset></register>", "<addressOffset>0x0</addressOffset></register>",
          "the register COPY overlaps CTRL, of line 11"),
    wrong("svd", SVD, "<addressUnitBits>8", "<addressUnitBits>16", "addresses are not those of bytes"),
    wrong("svd", SVD, "<addressOffset>0x0</addressOffset>", "", "register CTRL: has no <addressOffset>", -1),
    wrong("svd", SVD, "<name>CTRL</name>", "<name>CTRL</name><volatile/>", "<volatile>: this element is not known here"),
    wrong("svd", SVD, "[3:0]", "3:0", "field A: <bitRange> is '3:0'"),
    wrong("svd", SVD, "<bitRange>[3:0]</bitRange>", "", "field A: has no bits"),
    wrong("svd", SVD, "<msb>5</msb>", "<msb>3</msb>", "field B: has the bits [3:4]"),
    wrong("svd", SVD, "<msb>5</msb>", "<msb>6</msb>", "the field C of CTRL overlaps another", 1),
    wrong("svd", SVD, "<bitOffset>6", "<bitOffset>six", "<bitOffset>: 'six' is no number"),
    wrong("svd", SVD, "derivedFrom=\"CTRL\"", "derivedFrom=\"CTRT\"", "register COPY: derives from 'CTRT', which is not there"),
    wrong("svd", SVD, "derivedFrom=\"CTRL\"", "derivedFrom=\"COPY\"", "register COPY: derives from 'COPY'"),
    wrong("svd", SVD, "<dimIndex>A,B", "<dimIndex>A,B,C", "<dimIndex> names 3 elements, and <dim> 2", -1),
    wrong("svd", SVD, "<name>EVCNT%s", "<name>EVCNT", "has a <dim>, and no %s in its name", -1),
]
