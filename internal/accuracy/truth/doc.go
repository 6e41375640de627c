// Package truth judges a reward engine by what really happened. It makes up accounts
// of which it knows every purchase and what of it was returned, has the refunds reach
// the engine as networks deliver them, without links, with wrong ones, in parts or
// months late, and compares what the engine lets the account keep with what the
// program's published terms promise on what was truly kept.
//
// The promise is computed here, from the purchases and returns and nothing that the
// engine says: a check of the engine by its own figures cannot see where it guessed
// wrong. A second figure beside it is the engine's own: what it lets the same account
// keep if every refund names its purchase.
//
// Customers are honest, who return what they happen to, or dishonest: these know the
// terms, the rules of matching and what the networks leave out, and search for the
// purchases, decoys and returns that leave them most. Nobody changes what a refund
// says; that is the network's doing, and where it says what is not true the figures
// are exposure: no engine can be held to them.
//
// Everything comes from the seed: the same options give the same report.
package truth
