package budget

import "time"

// pace says until when somebody must have sent or taken the next bytes. What counts is
// the time that was spent waiting for them, not what was done in between.
type pace struct {
	limits *Limits
	moved  int64
	spent  time.Duration
}

// deadline is when the time is up of who has to move so many bytes more.
func (p *pace) deadline(now time.Time, more int64) time.Time {
	rated := time.Duration(float64(p.moved+more) / float64(p.limits.Rate) * float64(time.Second))
	return now.Add(p.limits.Patience + rated - p.spent)
}

// add notes that n bytes were moved.
func (p *pace) add(n int, took time.Duration) {
	p.moved += int64(n)
	p.spent += took
}
