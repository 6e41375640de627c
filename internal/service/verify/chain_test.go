package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// row is an event with something in every column.
var row = durable.EventRow{
	Number: 258, Account: "acct-1", Sequence: 2, Before: 7, Received: 1, Source: "core", ID: "e1", Type: "cycle.closed",
	Outcome: reward.Rejected, Code: reward.GraceHold, Event: []byte("{}"), Postings: []byte("[]"),
}

// The format is a promise: checkpoints that were signed must stay checkable.
func TestTheChainIsHashedAsPromised(t *testing.T) {
	unhex := func(s string) string {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	start := sha256.Sum256([]byte("recoup account 1\nacct-1"))
	next := sha256.Sum256([]byte("recoup event 1\n" + string(start[:]) +
		unhex("0000000000000102"+"0000000000000002"+"0000000000000007"+"0000000000000001") +
		unhex("00000004") + "core" + unhex("00000002") + "e1" + unhex("0000000c") + "cycle.closed" +
		unhex("00000008") + "rejected" + unhex("0000000a") + "grace_hold" + unhex("00000002") + "{}" + unhex("00000002") + "[]"))
	var c verify.Chain
	c.Start("acct-1", nil)
	if c.Hash() != start {
		t.Errorf("the chain starts with %v, want %v", c.Hash(), verify.Hash(start))
	}
	c.Add(&row)
	if c.Hash() != next {
		t.Errorf("after an event the chain is %v, want %v", c.Hash(), verify.Hash(next))
	}
	sent := row
	sent.Principal = "key-1"
	next = sha256.Sum256([]byte("recoup event 2\n" + string(next[:]) + unhex("00000005") + "key-1" +
		unhex("0000000000000102"+"0000000000000002"+"0000000000000007"+"0000000000000001") +
		unhex("00000004") + "core" + unhex("00000002") + "e1" + unhex("0000000c") + "cycle.closed" +
		unhex("00000008") + "rejected" + unhex("0000000a") + "grace_hold" + unhex("00000002") + "{}" + unhex("00000002") + "[]"))
	c.Add(&sent)
	if c.Hash() != next {
		t.Errorf("after an event with a principal the chain is %v, want %v", c.Hash(), verify.Hash(next))
	}
}

func TestTheChainCoversEveryColumn(t *testing.T) {
	hashOf := func(account string, r durable.EventRow) verify.Hash {
		var c verify.Chain
		c.Start(account, nil)
		c.Add(&r)
		return c.Hash()
	}
	seen := []verify.Hash{hashOf("acct-1", row), hashOf("acct-2", row)}
	columns := reflect.TypeFor[durable.EventRow]()
	for i := range columns.NumField() {
		if columns.Field(i).Name == "Account" {
			continue // what the chain starts with
		}
		changed := row
		switch v := reflect.ValueOf(&changed).Elem().Field(i); v.Kind() {
		case reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Uint8:
			v.SetUint(v.Uint() - 1)
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Slice:
			v.SetBytes([]byte("x"))
		default:
			t.Fatalf("column %s is of a kind that this test does not know", columns.Field(i).Name)
		}
		h := hashOf("acct-1", changed)
		if slices.Contains(seen, h) {
			t.Errorf("a change of %s does not change the chain", columns.Field(i).Name)
		}
		seen = append(seen, h)
	}
	moved := row
	moved.Source, moved.ID = "cor", "ee1"
	if slices.Contains(seen, hashOf("acct-1", moved)) {
		t.Error("what moves from one column to the next does not change the chain")
	}
}

// stored holds the hashes of a whole tree.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) (list []tlog.Hash, err error) {
	for _, i := range indexes {
		list = append(list, s[i])
	}
	return list, nil
}

func TestTheTreeIsThatOfRFC6962(t *testing.T) {
	var tree verify.Tree
	var all stored
	for n := range int64(27) {
		want := tlog.Hash(sha256.Sum256(nil))
		if n > 0 {
			var err error
			if want, err = tlog.TreeHash(n, all); err != nil {
				t.Fatal(err)
			}
		}
		if tree.Size() != n || tlog.Hash(tree.Root()) != want {
			t.Fatalf("over %d leaves the root is %v, want %v", n, tree.Root(), want)
		}
		// The name, the sequence, the hash.
		name := sha256.Sum256([]byte{byte(n)})
		record := append(append(name[:], 0, 0, 0, 0, 0, 0, 0, byte(n)), make([]byte, 32)...)
		hashes, err := tlog.StoredHashes(n, record, all)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, hashes...)
		tree.Add(&verify.Leaf{Name: name, Sequence: n})
	}
}
