package reward

// ParseKind returns the kind with that name in journals.
func ParseKind(name string) (Kind, bool) { return parseName[Kind](kindNames[:], name) }

// ParseOutcome returns the outcome with that name on the wire.
func ParseOutcome(name string) (Outcome, bool) { return parseName[Outcome](outcomeNames[:], name) }

// ParseCode returns the code with that name on the wire; "" is NoCode.
func ParseCode(name string) (Code, bool) {
	if name == "" {
		return NoCode, true
	}
	return parseName[Code](codeNames[:], name)
}

// parseName is the reverse of nameOf. No name is that of nothing.
func parseName[T ~uint8](names []string, name string) (T, bool) {
	for i, n := range names {
		if n == name && n != "" {
			return T(i), true
		}
	}
	return 0, false
}

// ParseCycle reads a cycle as Cycle.String renders it, "2026-01", one of those in
// which events may lie: of the years 1970 to 2199.
func ParseCycle(s string) (Cycle, bool) {
	if len(s) != len("2026-01") || s[4] != '-' {
		return 0, false
	}
	var digits [6]int
	for i, c := range []byte(s[:4] + s[5:]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		digits[i] = int(c - '0')
	}
	year := digits[0]*1000 + digits[1]*100 + digits[2]*10 + digits[3]
	month := digits[4]*10 + digits[5]
	if year < 1970 || year > 2199 || month < 1 || month > 12 {
		return 0, false
	}
	return Cycle(year*12 + month - 1), true
}
