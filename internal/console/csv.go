package console

import (
	"encoding/csv"
	"fmt"
	"net/http"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/security"
	"recoup/program"
	"recoup/reward"
)

// mostInFile is how many rows a file of a list has at most. More are what the API and the
// exports are for.
const mostInFile = 20_000

// sheet is a list as a file that spreadsheets open. Amounts are plain, with a point before
// the decimals and their currency in a column of its own; texts are defused, so that none
// is taken for a formula.
type sheet struct {
	v    *visit
	out  *csv.Writer
	rows int
	err  error
}

// file begins the answer with a file. The security log says who took it.
func (v *visit) file(name string, columns ...string) *sheet {
	v.note(security.Exported, v.person, "list of "+name+" as CSV")
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="recoup-%s-%s.csv"`, name, v.now.Time().UTC().Format("2006-01-02")))
	v.w.WriteHeader(http.StatusOK)
	s := &sheet{v: v, out: csv.NewWriter(v.w)}
	s.err = s.out.Write(columns)
	return s
}

// row adds a row of texts, numbers, instants and amounts, and reports whether there is room
// for more.
func (s *sheet) row(cells ...any) bool {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		switch cell := cell.(type) {
		case string:
			texts[i] = tabular.Defuse(cell)
		case reward.Instant:
			if cell != 0 {
				texts[i] = cell.String()
			}
		case moneyCell:
			texts[i] = cell.plain(s.v)
		default:
			texts[i] = fmt.Sprint(cell)
		}
	}
	if s.err == nil {
		s.err = s.out.Write(texts)
	}
	s.rows++
	return s.err == nil && s.rows < mostInFile
}

// done ends the file. What fails then can only be logged: the answer has begun.
func (s *sheet) done(err error) error {
	s.out.Flush()
	if err == nil {
		err = s.out.Error()
	}
	if err != nil {
		s.v.console.log.WarnContext(s.v.ctx(), "a file of a list was cut short", "error", err)
		panic(http.ErrAbortHandler) // so that nobody takes it for whole
	}
	return nil
}

// moneyCell is an amount of a currency in a file.
type moneyCell struct {
	minor    int64
	currency string
}

func (m moneyCell) plain(v *visit) string {
	decimals, known := program.MinorUnits(m.currency)
	if !known {
		decimals, _ = v.console.decimals(m.currency)
	}
	digits := fmt.Sprintf("%0*d", decimals+1, max(m.minor, -m.minor))
	if cut := len(digits) - decimals; decimals > 0 {
		digits = digits[:cut] + "." + digits[cut:]
	}
	if m.minor < 0 {
		return "-" + digits
	}
	return digits
}
