package walk

// Descent goes from a sequence down to a lighter one that shows the same.
type Descent[S any] struct {
	// Key tells one sequence from another.
	Key func(S) string
	// Weigh says how much there is to a sequence.
	Weigh func(S) Weight
	// Shows plays a sequence and reports whether it still shows what is looked for. It is
	// asked once for each.
	Shows func(S) (bool, error)
	// Spent reports that no more may be played.
	Spent func() bool

	played map[string]bool
}

// Down goes on to the first of the sequences beside one that is lighter and shows the
// same, and from there on, until there is none; or until no more may be played: then
// whole is false.
func (d *Descent[S]) Down(from S, beside func(S) []S) (least S, whole bool, err error) {
	for again := true; again; {
		again = false
		weight := d.Weigh(from)
		for _, s := range beside(from) {
			if d.Spent() {
				return from, false, nil
			}
			if !d.Weigh(s).Less(weight) {
				continue
			}
			if again, err = d.shows(s); err != nil {
				return from, false, err
			}
			if again {
				from = s
				break
			}
		}
	}
	return from, true, nil
}

func (d *Descent[S]) shows(s S) (bool, error) {
	key := d.Key(s)
	if shown, played := d.played[key]; played {
		return shown, nil
	}
	shown, err := d.Shows(s)
	if d.played == nil {
		d.played = make(map[string]bool)
	}
	if err == nil {
		d.played[key] = shown
	}
	return shown, err
}
