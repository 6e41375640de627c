package locale

// Sentence is a sentence of the console's own with its values, which is there before anybody
// has asked for it: the caption of a step, what is wrong with a move. It is said in a reader's
// language where it is shown. The zero Sentence says nothing.
type Sentence struct {
	Format Text // as Sprintf has it
	// Values may be texts, sentences, amounts and errors of the console's own, which are
	// said as well.
	Values []any
}

// Amount is an amount among the values of a sentence.
type Amount struct {
	Minor int64 // minor units
	Unit  string
}

// Tell says a sentence in the locale's language.
func (l *Locale) Tell(s Sentence) string {
	if s.Format == "" {
		return ""
	}
	return l.Sprintf(string(s.Format), s.Values...)
}

// String is the sentence in English.
func (s Sentence) String() string { return Match("").Tell(s) }

// Error is an error that a person reads in their own language.
type Error struct{ Sentence }

// Error is its sentence in English.
func (e *Error) Error() string { return e.Sentence.String() }

// Errorf returns an *Error, whose values may be errors of the kind as well.
func Errorf(format Text, values ...any) error { return &Error{Sentence{format, values}} }

// said are the values of a sentence as the locale says them.
func (l *Locale) said(values []any) []any {
	said := make([]any, len(values))
	for i, value := range values {
		switch value := value.(type) {
		case Text:
			said[i] = l.Say(value)
		case Sentence:
			said[i] = l.Tell(value)
		case Amount:
			said[i] = l.Amount(value.Minor, value.Unit)
		case *Error:
			said[i] = l.Tell(value.Sentence)
		default:
			said[i] = value
		}
	}
	return said
}
