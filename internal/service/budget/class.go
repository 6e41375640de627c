package budget

// Class is a kind of work. Each has room of its own: however much there is of one,
// there is room for the others.
type Class uint8

// The classes.
const (
	Reading        Class = iota // what is read
	Ingestion                   // events
	Commands                    // redemptions, and what else people decide about an account
	Previews                    // what is worked out over many accounts, one at a time for each holder
	Administration              // programs, adjustments, closures
	SigningIn                   // of people who are not known yet
	Connections                 // with a request or without
	classes        = int(Connections) + 1
)

// String names a class as metrics and problems do.
func (c Class) String() string {
	return [classes]string{"reading", "ingestion", "commands", "previews", "administration", "signing_in", "connections"}[c]
}
