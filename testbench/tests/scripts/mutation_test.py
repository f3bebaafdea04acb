#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/mutate changes, on C and C++ text made for the test."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
from mutation import c_source, mutants, operators  # noqa: E402

TEXT = r'''
/* if (a < 1) b(); */
#define PLACE(n)  (0x0f + 8 * (n)) \
                  /* no 7 */
#define WIDTH GENMASK(7, 0)
static const struct of_device_id ids[] = { { "toy", 3 }, {} };
static struct attribute *names[] = { EVENT(first, 0x1), EVENT(second, 0x3), FORMAT(mask, "config1:0-9"), };
static struct pmu toy = { .read = read_toy, .first = 1, };
enum kinds { ONE = 1 };
static int toy_add(struct toy *toy, int idx)
{
	int i = 2;

	if (!toy || idx >= toy->count) {
		dev_err(toy->dev, "no counter %d\n", 5);
		return -EINVAL;
	}
	if (idx == 7)
		WARN_ON(toy->base);
	for (i = 0; i < idx; i++)
		toy->used[i] |= BIT(idx) << 3;
	toy->total = toy->a + *toy->b;
	writel(toy->used[idx], toy->base + PLACE(idx));
	return 0;
}
'''

TEXT_IN_CPP = r'''
namespace toy {
namespace {
constexpr std::array<Row, 2> kRows{{{0x10, "first"}, {1'000, "second"}}};
enum class Kind : std::uint8_t { one = 1 };
class Inner {
 public:
  explicit Inner(unsigned width = 8) : width_{width} { watch_.start(width_); }
  bool operator==(const Inner& other) const noexcept { return width_ == other.width_; }
};
}  // namespace
std::optional<int> Toy::add(const std::vector<int>& all, int* place) const {
  if (const auto found = find(all); found != all.end()) return *found * 2;
  if (!place) throw std::invalid_argument(text_of(7));
  const std::map<int, Row>& rows = rows_;
  rows.at(1)->touch(true);
  return {};
}
}  // namespace toy
'''


class Mutation(unittest.TestCase):
    """Each test looks at the edits of one unit of the text."""

    @classmethod
    def setUpClass(cls):
        cls.units = {unit.name: unit for unit in c_source.units_of(TEXT)}

    def changes(self, unit):
        """For each operator, what each edit makes of what."""
        found = {}
        for edit in operators.edits_of(TEXT, self.units[unit]):
            found.setdefault(edit.operator, []).append((TEXT[edit.start:edit.end], edit.replacement))
        return found

    def test_finds_macros_tables_enumerations_and_functions_but_no_tables_of_ids(self):
        self.assertEqual(["#PLACE", "#WIDTH", "names[]", "toy[]", "enum kinds", "toy_add"], list(self.units))

    def test_changes_numbers_of_macros_in_their_notation(self):
        changes = self.changes("#PLACE")
        self.assertEqual([("0x0f", "0x0e"), ("0x0f", "0x10"), ("8", "7"), ("8", "9")], changes["constant"])
        self.assertEqual([("+", "-"), ("*", "+")], changes["arithmetic"])
        self.assertEqual({"mask": [("7", "6"), ("7", "8"), ("0", "1")]}, self.changes("#WIDTH"))

    def test_changes_entries_of_tables(self):
        changes = self.changes("names[]")["table"]
        self.assertIn(("first, 0x1), EVENT(second", "second, 0x1), EVENT(first"), changes)
        self.assertIn(('"config1:0-9"', '"config1:1-9"'), changes)
        self.assertIn(('"config1:0-9"', '"config1:0-8"'), changes)
        self.assertIn(("0x3", "0x4"), changes)
        self.assertIn((".read = read_toy", ""), self.changes("toy[]")["table"])

    def test_changes_conditions_and_branches(self):
        changes = self.changes("toy_add")
        condition = "!toy || idx >= toy->count"
        self.assertEqual([(condition, f"!({condition})")], changes["condition"])
        self.assertEqual({f"({condition}) && 0", f"({condition}) || 1"}, {new for _, new in changes["branch"]})
        self.assertEqual([("!", ""), ("||", "&&")], changes["logical"])
        self.assertEqual([(">=", ">"), ("<", "<=")], changes["relational"])
        self.assertEqual([(">=", "<"), ("<", ">=")], changes["comparison"])

    def test_removes_calls_assignments_and_errors_but_no_declarations_and_messages(self):
        changes = self.changes("toy_add")
        self.assertEqual([("writel(toy->used[idx], toy->base + PLACE(idx));", ";")], changes["call"])
        self.assertEqual(["toy->used[i] |= BIT(idx) << 3;", "toy->total = toy->a + *toy->b;"],
                         [old for old, _ in changes["assignment"]])
        self.assertEqual([("return -EINVAL;", "return 0;")], changes["error"])
        self.assertNotIn("5", [old for old, _ in changes["constant"]])

    def test_changes_bits_shifts_indices_and_operators(self):
        changes = self.changes("toy_add")
        self.assertEqual([("idx", "(idx) + 1")], changes["bit"])
        self.assertEqual([("<<", ">>"), ("3", "2"), ("3", "4")], changes["shift"])
        self.assertEqual([("|=", "&=")], changes["bitwise"])
        self.assertEqual([("+", "-"), ("+", "-")], changes["arithmetic"])
        self.assertIn(("i", "idx"), changes["index"])

    def test_finds_functions_in_namespaces_and_classes_of_cpp(self):
        units = {unit.name: unit for unit in c_source.units_of(TEXT_IN_CPP, cpp=True)}
        self.assertEqual(["kRows[]", "enum class Kind std uint8_t", "Inner", "==", "Toy::add"], list(units))
        changes = [(edit.operator, TEXT_IN_CPP[edit.start:edit.end], edit.replacement)
                   for edit in operators.edits_of(TEXT_IN_CPP, units["Toy::add"])]
        self.assertEqual([("arithmetic", "*", "+"), ("constant", "2", "1"), ("constant", "2", "3")], changes[:3])
        self.assertIn(("error", "throw std::invalid_argument(text_of(7));", ";"), changes)
        self.assertIn(("call", "rows.at(1)->touch(true);", ";"), changes)
        self.assertIn(("constant", "true", "false"), changes)
        self.assertFalse({("constant", "7", "8"), ("relational", "<", "<="), ("bitwise", "&", "|")} & set(changes))
        self.assertIn(("table", "1'000", "1001"), [(edit.operator, TEXT_IN_CPP[edit.start:edit.end], edit.replacement)
                                                   for edit in operators.edits_of(TEXT_IN_CPP, units["kRows[]"])])

    def test_keeps_the_numbers_of_lines(self):
        for unit in self.units.values():
            for edit in operators.edits_of(TEXT, unit):
                changed = mutants.apply(TEXT, edit)
                self.assertEqual(TEXT.count("\n"), changed.count("\n"))
                self.assertNotEqual(TEXT, changed)

    def test_takes_from_each_list_in_turn(self):
        self.assertEqual([1, 4, 2, 3], list(mutants.in_turn([[1, 2, 3], [4], []])))


if __name__ == "__main__":
    unittest.main()
