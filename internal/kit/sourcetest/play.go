// Package sourcetest plays the webhooks of a processor to accounts, as scenarios that a
// person can check: a file has bodies, one a line, and after each what has become of it and
// of the account.
package sourcetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recoup/program"
	"recoup/reward"
	"recoup/source"
)

// Ledger is accounts of one program, and what is kept between webhooks, in memory.
type Ledger struct {
	kind     *source.Kind
	settings source.Settings
	program  *reward.Program
	accounts map[string]*reward.Account
	seen     map[string]reward.Event
	notes    map[string]string
	waiting  map[string][]string
	// Conflicts are the events that came again with other content.
	Conflicts []string
}

// NewLedger returns one of the everyday program: 5 % on groceries, 1 % on the rest.
func NewLedger(kind *source.Kind, settings source.Settings) *Ledger {
	return &Ledger{
		kind: kind, settings: settings, program: program.Everyday(), accounts: make(map[string]*reward.Account),
		seen: make(map[string]reward.Event), notes: make(map[string]string), waiting: make(map[string][]string),
	}
}

// Post takes a body, and says what became of it.
func (l *Ledger) Post(body string) string {
	t := l.kind.Translate([]byte(body), l.settings, func(key string) string { return l.notes[key] })
	var due []string
	for _, n := range t.Keep {
		if l.notes[n.Key] != n.Value {
			l.notes[n.Key] = n.Value
			due = append(due, l.waiting[n.Key]...)
			delete(l.waiting, n.Key)
		}
	}
	switch {
	case t.Waits != "":
		if !slices.Contains(l.waiting[t.Waits], body) {
			l.waiting[t.Waits] = append(l.waiting[t.Waits], body)
		}
		return "waits: " + t.Dead
	case t.Ignored != "":
		return "ignored: " + t.Ignored
	}
	var told []string
	for i := range t.Events {
		told = append(told, l.apply(&t.Events[i]))
	}
	if t.Dead != "" {
		told = append(told, "dead: "+t.Dead)
	}
	for _, body := range due {
		told = append(told, l.Post(body))
	}
	return strings.Join(told, ", ")
}

func (l *Ledger) apply(e *reward.Event) string {
	identity := fmt.Sprintf("%q %q %q", e.Account, e.Source, e.ID)
	if before, again := l.seen[identity]; again {
		if before != *e {
			l.Conflicts = append(l.Conflicts, identity)
			return e.Type.String() + " rejected id_reused"
		}
		return e.Type.String() + " duplicate"
	}
	l.seen[identity] = *e
	a := l.accounts[e.Account]
	if a == nil {
		a = reward.NewAccount(e.Account, l.program)
		l.accounts[e.Account] = a
	}
	result, _ := a.Apply(e, nil)
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Type, result.Outcome, result.Code))
}

// State is all accounts in a line each: the balance, and the purchases that are posted, or
// all of them.
func (l *Ledger) State(all bool) (lines []string) {
	for _, id := range slices.Sorted(maps.Keys(l.accounts)) {
		s := l.accounts[id].State()
		line := fmt.Sprintf("%s: balance %d, net spend %d", id, s.Balance, s.NetSpend)
		for _, t := range s.Transactions {
			if all || t.Original > 0 || t.Retained > 0 || t.Reversed > 0 {
				line += fmt.Sprintf("; %s %s %d-%d earned %d", t.ID, t.Status, t.Amount, t.Reversed, t.Retained)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// Run plays the scenarios of a folder: in order, where the file says what follows each body;
// and in any other order, and twice, which must end as the file does. Files whose names end
// with -in-order are about what is different in another order, and are played twice only.
func Run(t *testing.T, folder string, kind *source.Kind, settings source.Settings) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no scenarios: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var bodies []string
			var played strings.Builder
			l := NewLedger(kind, settings)
			for line := range strings.Lines(string(text)) {
				switch {
				case strings.HasPrefix(line, "= "), strings.HasPrefix(line, "> "):
					continue // expected: compared below
				case strings.HasPrefix(line, "{"):
					body := strings.TrimSpace(line)
					bodies = append(bodies, body)
					played.WriteString(line)
					fmt.Fprintf(&played, "> %s\n", l.Post(body))
					for _, state := range l.State(true) {
						fmt.Fprintf(&played, "= %s\n", state)
					}
					continue
				}
				played.WriteString(line)
			}
			if os.Getenv("RECOUP_WRITE_SCENARIOS") != "" {
				if err := os.WriteFile(file, []byte(played.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if played.String() != string(text) {
				t.Errorf("played, it is\n%s", played.String())
			}
			want := strings.Join(l.State(false), "\n")
			random := rand.New(rand.NewPCG(1, uint64(len(bodies))))
			orders, inOrder := 50, strings.HasSuffix(file, "-in-order.txt")
			switch {
			case inOrder:
				orders = 1 // there is no other
			case os.Getenv("RECOUP_LONG") != "":
				orders = 200
			}
			for range orders {
				order := append(slices.Clone(bodies), bodies...)
				if !inOrder {
					random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				}
				other := NewLedger(kind, settings)
				for _, body := range order {
					other.Post(body)
				}
				if got := strings.Join(other.State(false), "\n"); got != want {
					t.Fatalf("expected\n%s\nfound\n%s\nin the order\n%s", want, got, strings.Join(order, "\n"))
				}
				if len(other.Conflicts) > 0 {
					t.Fatalf("came again with other content: %v", other.Conflicts)
				}
			}
		})
	}
}

// Bodies are those of all scenarios of a folder, for a fuzz test to begin with.
func Bodies(t testing.TB, folder string) (list [][]byte) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no scenarios: %v", folder, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "{") {
				list = append(list, []byte(strings.TrimSpace(line)))
			}
		}
	}
	return list
}
