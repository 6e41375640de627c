package audit

import "recoup/internal/intake"

// PartOf makes a tally a part, as RunPart does from files.
func PartOf(t *Tally, shard, of int) *Part {
	return &Part{header{Version: partVersion, Shard: shard, Of: of, Program: "p", Input: intake.Input{Rows: 1}}, *t}
}

// PartVersion is the version of files of parts.
const PartVersion = partVersion
