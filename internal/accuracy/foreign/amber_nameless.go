package foreign

import "time"

// nameless says whether a return weighs on the account as a whole: it names no purchase, or
// one that has not come in time.
func (f *amberFile) nameless(r *amberBack) bool {
	return r.buy == nil && (r.tx == "" || !f.now.Before(r.seen.Add(amberPatience)))
}

// namelessSum is what has come back of purchases that nobody named.
func (f *amberFile) namelessSum() int64 {
	var sum int64
	for _, r := range f.backs {
		if f.nameless(r) {
			sum += r.amount
		}
	}
	return sum
}

// debt is the most that nameless returns may have to take, each at the rate given. Each is of
// one purchase, so rounding every one up is enough.
func (f *amberFile) debt(most func(amount int64) int64) int64 {
	var sum int64
	for _, r := range f.backs {
		if f.nameless(r) {
			sum += most(r.amount)
		}
	}
	return sum
}

// withhold brings what nameless returns take to the debt, as far as anything was earned; the
// rest waits for later earnings. Earned less the most that they can take is never above what
// the true purchases would leave, whichever these are.
func (f *amberFile) withhold(debt, earned int64, refund string) {
	want := max(0, min(debt, earned))
	if want > f.withheld {
		f.post(Reversed, f.withheld-want, "", refund, "return without its purchase")
	} else {
		f.post(Earned, f.withheld-want, "", refund, "return has found its purchase, or was withheld too soon")
	}
	f.withheld = want
}

// nextStray is when the next return gives up waiting for the purchase that it names.
func (f *amberFile) nextStray() time.Time {
	var first time.Time
	for _, r := range f.backs {
		at := r.seen.Add(amberPatience)
		if r.buy == nil && r.tx != "" && at.After(f.now) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}
