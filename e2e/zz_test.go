package e2e_test

import "testing"

func TestZZ(t *testing.T) {
	for _, n := range []int{1, 2} {
		db := stores[0].database(t)
		program := programFile(t)
		var clients []*client
		var ss []*service
		for range n {
			ss = append(ss, serve(t, db, untimely, "--program", program))
			clients = append(clients, ss[len(ss)-1].client(t))
		}
		clients[0].open(t, "shared")
		linearizable(t, contend(t, clients, "shared", 10, 25, 1))
		t.Logf("%d processes, running", n)
		got := command(t, "verify", "--db", db)
		t.Logf("%d %s", got.code, got.stdout)
		ss[0].stop(t)
		t.Logf("first stopped")
		got = command(t, "verify", "--db", db)
		t.Logf("%d %s", got.code, got.stdout)
		if n == 2 {
			ss[1].stop(t)
			t.Logf("second stopped")
			got = command(t, "verify", "--db", db)
			t.Logf("%d %s", got.code, got.stdout)
		}
	}
}
