package page

// NewTimeline returns a step chart, without its levels and times yet, of what
// becomes of one account's rewards: lines of what the customer has had, what the
// net spend entitles to, and the balance, in that order, all in minor units. It
// shades the leak.
func NewTimeline(title string, low, top int64, format func(int64) string) *StepChart {
	return &StepChart{
		Title: title, Low: low, Top: top, Format: format, Shade: true, Above: [2]int{0, 1},
		Lines: []StepLine{{Name: "had", Class: "had"}, {Name: "entitled to", Class: "due"}, {Name: "balance", Class: "balance"}},
	}
}

// TimelineKey explains what timelines show.
func TimelineKey() []KeyEntry {
	return []KeyEntry{
		{LineSwatch("had"), "what the customer has had: balance and payouts"},
		{LineSwatch("due"), "what the net spend entitles to"},
		{LineSwatch("balance"), "balance; below zero, rewards are owed"},
		{ShadeSwatch(), "leak: had, but not entitled to"},
	}
}
