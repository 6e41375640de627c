package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"recoup/program"
	"recoup/reward"
)

// fingerprint tells published terms apart: all that a program file can say of each
// version. Two programs with the same fingerprint entitle to the same.
func fingerprint(p *reward.Program) string {
	h := sha256.New()
	for ; p != nil; p = p.Earlier {
		fmt.Fprintf(h, "%d %d %q\n", p.Version, p.From, program.Write(p))
		if p.Categories == nil {
			continue
		}
		for code := range 10_000 {
			mcc, _ := reward.ParseMCC(fmt.Sprintf("%04d", code))
			if name := p.Categories(mcc); name != "" {
				fmt.Fprintf(h, "%v %q\n", mcc, name)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
