package judge_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"recoup/audit/history"
	"recoup/audit/judge"
	"recoup/lab"
	"recoup/traffic"
)

func TestLook(t *testing.T) {
	p := everyday()
	for _, d := range lab.AllDesigns() {
		if f := os.Getenv("LOOK"); f == "" || !strings.Contains(d.Name, f) && f != "all" {
			continue
		}
		x := exports(t, d, p, traffic.Options{Accounts: 60, Events: 8000, Seed: 1, Program: p, Days: 365, OverRefunds: 50})
		s := x.judge(judge.Options{ReturnDays: 30, End: x.now})
		t.Logf("%s: %s", d.Name, s)
		want := os.Getenv("CODE")
		if want == "" {
			continue
		}
		j := judge.New(p, judge.Options{ReturnDays: 30, End: x.now})
		n := 0
		for _, id := range x.accounts {
			h := &history.History{Account: id, Rows: slices.Clone(x.rows[id])}
			history.Sort(h.Rows)
			a, _ := j.Account(h)
			for _, sg := range a.Signs {
				if n < 4 && sg.Shown && string(sg.Flaw) == want && sg.Example != nil {
					n++
					fmt.Printf("%+v\n", *sg.Example)
					var m string
					for _, r := range h.Rows {
						if r.ID == sg.Example.Purchase {
							m = r.Merchant
						}
					}
					names := map[string]bool{}
					for _, r := range h.Rows {
						if r.Merchant == m {
							names[r.ID] = true
						}
					}
					for i, r := range h.Rows {
						prev := i > 0 && (h.Rows[i-1].Merchant == m || names[h.Rows[i-1].Transaction])
						if r.Merchant == m || names[r.Transaction] || r.Kind == history.Reward && prev {
							fmt.Println("   ", r.At, r.Kind, r.ID, r.Transaction, r.Amount, r.Merchant, r.Category)
						}
					}
				}
			}
		}
	}
}

func TestNever(t *testing.T) {
	p := everyday()
	for _, d := range lab.AllDesigns() {
		if f := os.Getenv("NEVER"); f == "" || d.Name != f {
			continue
		}
		x := exports(t, d, p, traffic.Options{Accounts: 60, Events: 8000, Seed: 1, Program: p, Days: 365, OverRefunds: 50})
		j := judge.New(p, judge.Options{ReturnDays: 30, End: x.now})
		for _, id := range x.accounts {
			h := &history.History{Account: id, Rows: slices.Clone(x.rows[id])}
			history.Sort(h.Rows)
			a, _ := j.Account(h)
			for _, c := range a.Refunds {
				if !c.Linked || c.Outcome != judge.Never {
					continue
				}
				fmt.Printf("%s %+v\n", id, c)
				for _, r := range h.Rows {
					if r.At > c.RefundedAt-35*24*3600e9 && r.At < c.RefundedAt+35*24*3600e9 && r.Kind != history.Redemption {
						fmt.Println("   ", r.At, r.Kind, r.ID, r.Transaction, r.Amount, r.Merchant, r.Category)
					}
				}
			}
		}
	}
}
