package judge

import (
	"slices"

	"recoup/internal/intake/history"
)

// farBack is how many rows back a row that is struck out is looked for.
const farBack = 1 << 12

// corrected are the rows with what was struck out and granted anew in one moment as one row:
// only the difference is of what had happened. struck has, by row, what is in both.
func (j *Judge) corrected(rows []history.Row) []history.Row {
	j.struck = nil
	var kept []history.Row // nil while all are
	for i := 0; i < len(rows); {
		n := corrections(rows, i)
		if n > 0 && kept == nil {
			kept, j.struck = slices.Clone(rows[:i]), map[int32]int64{}
		}
		for ; n > 0; n-- {
			r := rows[i]
			r.Amount += rows[i+1].Amount
			j.struck[int32(len(kept))] = min(-rows[i].Amount, rows[i+1].Amount)
			kept = append(kept, r)
			i += 2
		}
		if i < len(rows) {
			if kept != nil {
				kept = append(kept, rows[i])
			}
			i++
		}
	}
	if kept == nil {
		return rows
	}
	return kept
}

// corrections counts the pairs of rows from the first on that strike a reward out and grant it
// anew: of one moment and purchase or, where they name none, of a reward of just that amount
// that came before, and nothing else came in that moment.
func corrections(rows []history.Row, first int) (pairs int) {
	if first > 0 && isRewardOf(&rows[first-1], &rows[first]) && rows[first].Transaction == "" {
		return 0
	}
	i := first
	for ; i+1 < len(rows); i += 2 {
		struck, anew := &rows[i], &rows[i+1]
		if struck.Amount >= 0 || anew.Amount <= 0 || !isRewardOf(struck, &rows[first]) || !isRewardOf(anew, struck) {
			break
		}
		if struck.Transaction == "" && !stood(rows[max(0, i-farBack):i], struck) {
			return 0
		}
		pairs++
	}
	if pairs > 0 && i < len(rows) && rows[first].Transaction == "" && isRewardOf(&rows[i], &rows[first]) {
		return 0
	}
	return pairs
}

// isRewardOf reports whether a row changes rewards in the moment of another, of the same
// purchase.
func isRewardOf(r, o *history.Row) bool {
	return r.Kind == history.Reward && o.Kind == history.Reward && r.At == o.At && r.Transaction == o.Transaction
}

// stood reports whether one of the rows granted what a later one strikes out.
func stood(rows []history.Row, struck *history.Row) bool {
	return slices.ContainsFunc(rows, func(r history.Row) bool {
		return r.Kind == history.Reward && r.Amount == -struck.Amount && r.At < struck.At && r.Transaction == ""
	})
}
