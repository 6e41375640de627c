package foreign

import "time"

// indigoZone is a zone that the standard library carries.
func indigoZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// indigoMonth names the calendar month of t.
func indigoMonth(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006-01") }

// indigoCycle is the first instant of the statement cycle of t, which begins on a day of the month.
func indigoCycle(t time.Time, day int, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	if d < day {
		m--
	}
	return time.Date(y, m, day, 0, 0, 0, 0, zone)
}

// indigoClose is the first statement close after t.
func indigoClose(t time.Time, day int, zone *time.Location) time.Time {
	y, m, _ := indigoCycle(t, day, zone).Date()
	return time.Date(y, m+1, day, 0, 0, 0, 0, zone)
}

// indigoPlain has the answers of a book whose purchases earn each by itself and whose nameless
// refunds may be of any purchase.
type indigoPlain struct{}

func (indigoPlain) slot(time.Time) string            { return "" }
func (indigoPlain) counts(*indigoBuy) int64          { return 0 }
func (indigoPlain) may(*indigoBack, *indigoBuy) bool { return true }
func (indigoPlain) next(*indigoAccount) time.Time    { return time.Time{} }
func (indigoPlain) wake(*indigoAccount)              {}

// indigoRate is the reward of an amount at so many per ten thousand.
func indigoRate(amount, rate int64) int64 { return amount * rate / 10000 }
