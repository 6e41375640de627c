// Package proof_test runs the proven model, extracted to OCaml, beside the engine.
package proof_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestEngineAgreesWithTheProvenModel plays random accounts through `recoup replay` and
// through the model, and compares balance, held, redeemed, and the answer to each redemption.
func TestEngineAgreesWithTheProvenModel(t *testing.T) {
	model, engine := os.Getenv("RECOUP_MODEL"), os.Getenv("RECOUP_PROGRAM")
	if model == "" || engine == "" {
		t.Skip("make proof-test builds the model and says where it is")
	}
	accounts := 10_000
	if text := os.Getenv("RECOUP_PROOF_ACCOUNTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		accounts = n
	}
	const batch = 250
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	seen := make(map[string]int)
	for n := 0; n < accounts; n += batch {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		p := drawTerms(random)
		lives := make([]*life, batch)
		for i := range lives {
			lives[i] = drawLife(random, p, fmt.Sprintf("a%d", i))
		}
		compare(t, p, lives, model, engine)
		for _, l := range lives {
			for what, times := range l.seen {
				seen[what] += times
			}
		}
		if t.Failed() {
			return
		}
	}
	for _, what := range []string{"cut by a cap", "over-refund", "before its purchase", "undone", "announced", "canceled", "delivered again", "late", "granted", "denied", "closed", "deferred", "urgent", "compared"} {
		if seen[what] == 0 {
			t.Errorf("none of %d accounts has: %s", accounts, what)
		}
	}
	t.Logf("%d accounts agree: %v", accounts, seen)
}

// compare plays lives under a program through both.
func compare(t *testing.T, p *terms, lives []*life, model, engine string) {
	t.Helper()
	var events, told bytes.Buffer
	for _, l := range lives {
		events.WriteString(l.events.String())
		told.WriteString(l.told.String())
	}
	dir := t.TempDir()
	program, outcomes := filepath.Join(dir, "program.yaml"), filepath.Join(dir, "outcomes.jsonl")
	if err := os.WriteFile(program, []byte(p.yaml()), 0o600); err != nil {
		t.Fatal(err)
	}
	replay := exec.Command(engine, "replay", "--program", program, "--output", "json", "--outcomes", outcomes, "-")
	replay.Stdin, replay.Stderr = &events, os.Stderr
	state, err := replay.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := answersOf(t, state, outcomes)

	modelled := exec.Command(model)
	modelled.Stdin, modelled.Stderr = &told, os.Stderr
	out, err := modelled.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for _, l := range lives {
		if !lines.Scan() {
			t.Fatal("the model says less than it was asked")
		}
		want := lines.Text()
		if l.waits() { // a refund that waits for its purchase holds what it may be of: a guess, which the model has none of
			continue
		}
		if got[l.account] != want {
			t.Errorf("under\n%s\naccount %s (balance, held, redeemed, redemptions): the engine says %q, the model %q, of\n%s\n%s", p.yaml(), l.account, got[l.account], want, &l.told, &l.events)
			return
		}
		l.seen["compared"]++
		said := strings.Fields(want)[3:]
		l.seen["granted"] += strings.Count(strings.Join(said, ""), "+")
		l.seen["denied"] += strings.Count(strings.Join(said, ""), "-")
	}
}

// answersOf is what the engine says of each account, as the model prints it.
func answersOf(t *testing.T, state []byte, outcomes string) map[string]string {
	t.Helper()
	said := make(map[string]string)
	f, err := os.Open(outcomes)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var o struct{ ID, Account, Outcome string }
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(o.ID, "redeem") {
			said[o.Account] += map[string]string{"applied": "+", "rejected": "-"}[o.Outcome]
		}
	}
	var all struct {
		Accounts []struct {
			Account                 string
			Balance, Held, Redeemed int64
		}
	}
	if err := json.Unmarshal(state, &all); err != nil {
		t.Fatal(err)
	}
	answers := make(map[string]string)
	for _, a := range all.Accounts {
		answers[a.Account] = fmt.Sprintf("%d %d %d %s", a.Balance, a.Held, a.Redeemed, said[a.Account])
	}
	return answers
}
