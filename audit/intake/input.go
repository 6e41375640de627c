// Package intake reads the exports of reward programs: files of several formats
// and layouts into rows of one form.
package intake

// Input is what was read.
type Input struct {
	Files []File      `json:"files"`
	Rows  int64       `json:"rows"` // good ones
	Bad   int64       `json:"bad_rows"`
	ByWhy []BadReason `json:"bad_rows_by_reason,omitempty"`
}

// File is one file of the exports.
type File struct {
	Name  string `json:"file"`
	Table string `json:"table"` // transactions, refunds, rewards or redemptions
	Rows  int64  `json:"rows"`
	Bad   int64  `json:"bad_rows"`
}

// BadReason counts the rows that were left out for one reason, with where the
// first of them are, as "file:line".
type BadReason struct {
	Reason string   `json:"reason"`
	Rows   int64    `json:"rows"`
	First  []string `json:"first"`
}
