// Package adapter serves anything behind the port [issuer.Issuer] by the protocol
// of package probe: the designs of the lab, for one, so that the prober has
// targets of which everything is known. With [Faults] a target is slow, fails now
// and then, and shows late what has happened, as sandboxes do.
package adapter
