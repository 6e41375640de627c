package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
)

// newShards makes a ledger over some shards and returns its file.
func newShards(t testing.TB, count int) (file, url string) {
	t.Helper()
	url = pgtest.Shared(t).NewDatabase(t)
	return shardsAt(t, count, url), url
}

// shardsAt is the same in a database that is there.
func shardsAt(t testing.TB, count int, url string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "shards.yaml")
	shardsCommand(t, "init", "--shards", fmt.Sprint(count), "--url", url, "--file", file)
	return file
}

func shardsCommand(t testing.TB, args ...string) ended {
	t.Helper()
	got := command(t, append([]string{"shards"}, args...)...)
	if got.code != 0 {
		t.Fatalf("recoup shards %v exits %d\n%s%s", args, got.code, got.stdout, got.stderr)
	}
	return got
}

var stoppedFor = regexp.MustCompile(`stopped for \S+`)

// TestShards moves and splits shards below two services under load, and kills who moves
// them: nobody is refused for it, and nothing that was acknowledged is lost.
func TestShards(t *testing.T) {
	t.Parallel()
	file, url := newShards(t, 4)
	other := pgtest.Shared(t).NewDatabase(t)
	first := serve(t, file, untimely, "--program", programFile(t))
	second := serve(t, file, untimely)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	moments := rand.New(rand.NewPCG(seed, 3))
	l, beside := newLoad(t, 4, 1, seed), newLoad(t, 2, 0, seed+100)
	for _, s := range beside.senders {
		s.name = "beside-" + s.name
	}
	met := &mishaps{}
	stop, ended := make(chan struct{}), make(chan error, 2)
	go func() { ended <- l.run(first.client(t), stop, met.meet) }()
	go func() { ended <- beside.run(second.client(t), stop, met.meet) }()
	both := func() {
		t.Helper()
		progress(t, first, l)
		progress(t, second, beside)
	}
	both()

	got := shardsCommand(t, "move", "1", "--to", other, "--file", file)
	t.Logf("a move: the shard was %s", stoppedFor.FindString(got.stderr))
	both()
	got = shardsCommand(t, "split", "2", "--into", "4", "--to", other, "--file", file)
	t.Logf("a split: the shard was %s", stoppedFor.FindString(got.stderr))
	both()

	places := []string{other, url}
	for round := range often(1, 60) {
		began := time.Now()
		to := []string{"move", "3", "--to", places[round%2], "--file", file}
		mover := exec.Command(recoup(t), append([]string{"shards"}, to...)...)
		noError(t, mover.Start())
		time.Sleep(time.Duration(moments.IntN(1500)) * time.Millisecond)
		_ = mover.Process.Kill()
		_ = mover.Wait()
		both()
		got := shardsCommand(t, to...)
		t.Logf("round %d: a mover was killed, and the next was done %v after the first began; %s", round, time.Since(began).Round(time.Millisecond), stoppedFor.FindString(got.stderr))
		both()
		shardsCommand(t, "drop", "3", "--old", "--file", file)
	}
	shardsCommand(t, "status", "--file", file)
	close(stop)
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("a sender met something else than a problem to wait out: %v", err)
		}
	}
	l.settle(t, first.client(t))
	beside.settle(t, second.client(t))
	t.Logf("%d events acknowledged; problems met: %v, the slowest after %v", l.acknowledged()+beside.acknowledged(), met.codes, met.longest)
	if n := met.count(); n > 0 {
		t.Errorf("senders met %d problems: %v", n, met.codes)
	}
	first.stop(t)
	second.stop(t)
	kept(t, file, append(l.senders, beside.senders...))
	verified(t, file)
}
