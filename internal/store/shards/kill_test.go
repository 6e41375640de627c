package shards_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/shards"
)

// order is what a mover that runs as a process of its own is told to do.
type order struct {
	File  string
	Shard int64
	To    shards.Place
	// Into is the number of a new shard, if the shard is to be split.
	Into int64
	Rest shards.Place
	// DieAt is part of what it tells before it kills itself.
	DieAt string
}

// TestMain is a mover, if it is told to be one.
func TestMain(m *testing.M) {
	text := os.Getenv("RECOUP_TEST_MOVER")
	if text == "" {
		os.Exit(m.Run())
	}
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	mover := &shards.Mover{File: o.File, Tell: func(what string) {
		fmt.Fprintln(os.Stderr, what)
		if o.DieAt != "" && strings.Contains(what, o.DieAt) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	var err error
	if o.Into > 0 {
		_, err = mover.Split(context.Background(), o.Shard, o.Into, o.To, o.Rest)
	} else {
		_, err = mover.Move(context.Background(), o.Shard, o.To)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// start starts a mover as a process of its own.
func (o order) start(t testing.TB, said *strings.Builder) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(o)
	ok(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RECOUP_TEST_MOVER="+string(text))
	cmd.Stderr = said
	ok(t, cmd.Start())
	return cmd
}

func rounds() int {
	if os.Getenv("RECOUP_LONG") != "" {
		return 60
	}
	return 3
}

// A mover may die at any point: the shard works where it was, or where it was to go, and
// running the same command again finishes it.
func TestAMoverThatIsKilled(t *testing.T) {
	w := newWorld(t, 2)
	db := w.open()
	l := newLoad(t, w.store(db, everyday()), "a", 4)
	l.more(t, 200)
	places := []shards.Place{w.read().Shards[1].Place, {URL: pgtest.Shared(t).NewDatabase(t), Schema: "away"}}
	whole := 400 * time.Millisecond // how long a move takes, about
	rounds := rounds()
	for round := range rounds {
		to := places[(round+1)%2]
		if round > 0 { // what was left there
			ok(t, shards.DropOld(t.Context(), w.file, 1, false))
		}
		o := order{File: w.file, Shard: 1, To: to}
		for attempt := 0; ; attempt++ {
			var said strings.Builder
			cmd := o.start(t, &said)
			if attempt == 0 {
				time.Sleep(rand.N(whole))
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				l.forget()
				l.more(t, 50) // it works, wherever it is
				t.Logf("round %d: killed when it had said %q; nobody waited longer than %v", round, lastLine(said.String()), l.waited())
				continue
			}
			began := time.Now()
			if err := cmd.Wait(); err != nil {
				t.Fatalf("round %d: %v: %s", round, err, said.String())
			}
			whole = time.Since(began)
			break
		}
		if s := w.read().Shards[1]; s.Place != to {
			t.Fatalf("round %d: the shard is in %v", round, s.Place)
		}
		l.more(t, 50)
	}
	l.end()
	l.check(t, w.open())
}

// Each of the steps that matter is one that a mover can die at.
func TestAMoverThatDiesAtAStep(t *testing.T) {
	steps := []string{"copying events", "stopping", "is stopped", "switching", "at its new place", "writing"}
	w := newWorld(t, 2)
	l := newLoad(t, w.store(w.open(), everyday()), "a", 4)
	l.more(t, 200)
	places := []shards.Place{w.read().Shards[1].Place, {URL: pgtest.Shared(t).NewDatabase(t), Schema: "away"}}
	for i, step := range steps {
		if i > 0 {
			ok(t, shards.DropOld(t.Context(), w.file, 1, false))
		}
		o := order{File: w.file, Shard: 1, To: places[(i+1)%2], DieAt: step}
		var said strings.Builder
		_ = o.start(t, &said).Wait()
		if !strings.Contains(lastLine(said.String()), step) {
			t.Fatalf("it was to die at %q, and said %s", step, said.String())
		}
		l.forget()
		l.each(t) // everybody is answered, wherever the shard is
		t.Logf("a mover died at %q: nobody waited longer than %v", step, l.waited())
		o.DieAt = ""
		said.Reset()
		if err := o.start(t, &said).Wait(); err != nil {
			t.Fatalf("after one that died at %q: %v: %s", step, err, said.String())
		}
		if s := w.read().Shards[1]; s.Place != o.To {
			t.Fatalf("after one that died at %q: the shard is in %v", step, s.Place)
		}
	}
	l.end()
	l.check(t, w.open())
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
