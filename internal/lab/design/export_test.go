package design

import (
	"recoup/internal/issuer"
	"recoup/reward"
)

// Violations checks the invariants of Recoup behind the port.
func Violations(i issuer.Issuer) []reward.Violation { return i.(*Recoup).store.Check() }
