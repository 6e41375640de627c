package accuracy

import (
	"embed"
	"fmt"
	"strings"
	"time"

	"recoup/internal/lab/export"
	"recoup/internal/probe/adapter"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// MaxSeeds bounds how many settings each design is tried in.
const MaxSeeds = 1000

// Setting is what one seed comes to: the conditions that a design is tried under.
// All designs meet the same ones.
type Setting struct {
	Seed    uint64
	Program *reward.Program
	// Traffic and Export are the auditor's: what happens to the design, and what the
	// files have and lack.
	Traffic traffic.Options
	Export  export.Options
	// Given: the prober is given the program, and does not have to find it out.
	Given bool
	// Faults are those of the sandbox that the prober calls.
	Faults adapter.Faults
}

//go:embed programs/*.yaml
var programFiles embed.FS

// programs are the terms that settings take in turn.
var programs = append([]*reward.Program{program.Everyday()}, embedded("flat", "rotating", "travel", "mature")...)

func embedded(names ...string) (list []*reward.Program) {
	for _, name := range names {
		file := "programs/" + name + ".yaml"
		text, err := programFiles.ReadFile(file)
		if err != nil {
			panic(err)
		}
		p, err := program.Parse(file, text)
		if err != nil {
			panic(err)
		}
		list = append(list, p)
	}
	return list
}

// NewSetting returns the setting of a seed, from 1 on. Twenty seeds in a row have
// each program four times; half of them have noise in the exports, and a sandbox
// that is slow and fails; a quarter has rewards that name no purchase, and a
// seventh refunds that name none.
func NewSetting(seed uint64) Setting {
	p := programs[seed%uint64(len(programs))]
	s := Setting{
		Seed: seed, Program: p,
		// Ranges whose lengths are prime to each other, so that values meet anew.
		Traffic: traffic.Options{
			Accounts: 300, Events: int(20_000 + 2_000*(seed*7%11)), Seed: seed, Program: p,
			Start: time.Date(2025, time.January, 1+int(seed*29%365), 0, 0, 0, 0, time.UTC),
			Days:  int(270 + 30*(seed*5%7)), ReturnShare: int(60 + 10*(seed*3%9)),
			OverRefunds: int(20 + 10*(seed%3)), Duplicates: int(10 + 5*(seed%4)), Disorder: int(20 + 10*(seed%6)),
		},
		Export: export.Options{RefundLinks: seed%7 != 4, RewardLinks: seed%8 != 3 && seed%8 != 6, Seed: seed},
		Given:  seed%4 >= 2,
	}
	if seed%2 == 0 {
		s.Export.Noise = export.DefaultNoise()
		s.Faults = adapter.Faults{Seed: seed, Latency: time.Millisecond, Failures: 20}
	}
	return s
}

// published are the terms that a design publishes. When a reward may be redeemed is a
// design's own: only Recoup holds rewards as the program says, and of its configurations
// those that are named after something else do not let them mature.
func (s *Setting) published(design string) *reward.Program {
	p := *s.Program
	if design != "Recoup" {
		p.MaturityDays = 0
	}
	if !strings.HasPrefix(design, "Recoup") {
		p.Redemption.GraceDays = 0
	}
	return &p
}

// words say what the tool meets.
func (s *Setting) words(tool Tool) string {
	words := []string{"program " + s.Program.ID}
	add := func(is bool, text string) {
		if is {
			words = append(words, text)
		}
	}
	switch tool {
	case Audit:
		t := &s.Traffic
		add(true, fmt.Sprintf("%d events in %d days, %d ‰ returned", t.Events, t.Days, t.ReturnShare))
		add(s.Export.Noise != export.Noise{}, "noise")
		add(!s.Export.RefundLinks, "refunds name no purchase")
		add(!s.Export.RewardLinks, "rewards name no purchase")
	case Probe:
		add(s.Given, "given")
		add(!s.Given, "found out")
		add(s.Faults.Failures > 0, fmt.Sprintf("slow, %d ‰ of calls fail", s.Faults.Failures))
	}
	return strings.Join(words, ", ")
}
