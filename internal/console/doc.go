// Package console is the pages that a person looks at: accounts and why their
// cashback went down, reviews to work, adjustments that a second person approves,
// the program as a whole, its terms, and a playground in which issuers' designs are
// attacked.
//
// Pages are rendered here and work without scripts; what little script there is
// adds comfort. Everything they need is part of the program: no other host is asked
// for anything. Whatever others chose (ids, reasons, merchants) is escaped, and
// shown with what it hides (see tabular.Visible).
//
// No rule of rewards lives here: pages read what package durable has committed, and
// whatever a person decides is an event that goes the way of all events.
package console
