package reward

// Account is one cardholder's account with a reward program.
type Account struct {
	id      string
	program *Program
}

// NewAccount returns an account of the program with nothing on it.
func NewAccount(id string, p *Program) *Account { return &Account{id: id, program: p} }

// Apply applies one event that has not been applied before and appends the
// postings it causes to journal.
func (a *Account) Apply(e *Event, journal []Posting) (Result, []Posting) { return Result{}, journal }
