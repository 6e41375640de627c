package access_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
	"recoup/reward"
)

func TestAKeySaysWhoAndWhatFor(t *testing.T) {
	o := open(t)
	key, text := o.create(t, "core banking", scope.Ingest|scope.Read)
	if want := "rk_" + key.ID + "_"; !strings.HasPrefix(text, want) || len(key.ID) < 10 || len(text)-len(want) != 43 {
		t.Errorf("the key is %q, want rk_<id>_<43 characters of secret> with the id %q", text, key.ID)
	}
	p := letIn(t, o.Keys, text)
	if p.ID != key.ID || p.Name != "core banking" {
		t.Errorf("the key is of %+v, want %+v", p, key)
	}
	for scope, want := range map[scope.Set]bool{scope.Ingest: true, scope.Read: true, scope.Redeem: false, scope.Admin: false} {
		if p.May(scope) != want {
			t.Errorf("a key for ingest and read may %v: %v", scope, p.May(scope))
		}
	}
}

func TestAdminMayEverything(t *testing.T) {
	p := access.Principal{Scopes: scope.Admin}
	for _, scope := range []scope.Set{scope.Ingest, scope.Redeem, scope.Read, scope.Operate, scope.Approve, scope.Admin} {
		if !p.May(scope) {
			t.Errorf("admin may not %v", scope)
		}
	}
	if (access.Principal{}).May(scope.Read) {
		t.Error("nobody may read")
	}
}

func TestNoTwoKeysAreAlike(t *testing.T) {
	o := open(t)
	first, one := o.create(t, "one", scope.Read)
	second, two := o.create(t, "two", scope.Read)
	if first.ID == second.ID || one[len(one)-43:] == two[len(two)-43:] {
		t.Errorf("two keys are %q and %q", one, two)
	}
}

func TestRefusals(t *testing.T) {
	o := open(t)
	key, text := o.create(t, "a", scope.Read)
	_, other := o.create(t, "b", scope.Read)
	secret := text[len("rk_"+key.ID+"_"):]
	tests := []struct {
		name, header string
		why          access.Refusal
	}{
		{"no header", "", access.Missing},
		{"another scheme", "Basic " + text, access.Malformed},
		{"no scheme", text, access.Malformed},
		{"no key", "Bearer ", access.Malformed},
		{"cut short", "Bearer " + text[:len(text)-1], access.Malformed},
		{"too long", "Bearer " + text + "A", access.Malformed},
		{"a space after it", "Bearer " + text + " ", access.Malformed},
		{"another prefix", "Bearer pk_" + text[3:], access.Malformed},
		{"capitals in the id", "Bearer rk_" + strings.ToUpper(key.ID) + "_" + secret, access.Malformed},
		{"a quote in the secret", "Bearer " + text[:len(text)-1] + "'", access.Malformed},
		{"an id that there is not", "Bearer rk_aaaaaaaaaaaa_" + secret, access.Unknown},
		{"the secret of another key", "Bearer rk_" + key.ID + "_" + other[len(other)-43:], access.Mismatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, o.Keys, tt.header, tt.why) })
	}
}

func TestSchemeInAnyCase(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	for _, header := range []string{"bearer " + text, "BEARER  " + text} {
		if _, err := o.Authenticate(context.Background(), header); err != nil {
			t.Errorf("%s… is refused: %v", header[:7], err)
		}
	}
}

// Every bit of the secret counts.
func TestAnyOtherSecretIsRefused(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	for i := len(text) - 43; i < len(text); i++ {
		wrong := []byte(text)
		wrong[i] = map[bool]byte{true: 'B', false: 'A'}[wrong[i] == 'A']
		refused(t, o.Keys, "Bearer "+string(wrong), access.Mismatch)
	}
}

func TestRevokedKeyIsRefusedAtOnceWhereItWasRevoked(t *testing.T) {
	o := open(t)
	key, text := o.create(t, "a", scope.Read)
	o.now = o.now.Add(time.Minute)
	letIn(t, o.Keys, text)
	gone, err := o.Revoke(context.Background(), key.ID)
	if err != nil || gone.Revoked != reward.At(o.now) {
		t.Fatalf("revoked: %+v, %v; want it revoked at %v", gone, err, o.now)
	}
	refused(t, o.Keys, "Bearer "+text, access.Revoked)

	first := o.now
	o.now = o.now.Add(time.Hour)
	if again, err := o.Revoke(context.Background(), key.ID); err != nil || again.Revoked != reward.At(first) {
		t.Errorf("revoked again: %+v, %v; want it to stay revoked at %v", again, err, first)
	}
	if _, err := o.Revoke(context.Background(), "nosuchkeyyyy"); !errors.Is(err, access.ErrUnknownKey) {
		t.Errorf("revoking what there is not: %v", err)
	}
}

func TestOtherProcessesSeeRevocationsAndNewKeysWithinASecond(t *testing.T) {
	o := open(t)
	there := o.process()
	key, text := o.create(t, "a", scope.Read)
	letIn(t, there, text)
	if _, err := o.Revoke(context.Background(), key.ID); err != nil {
		t.Fatal(err)
	}
	_, young := o.create(t, "b", scope.Read)

	o.now = o.now.Add(access.Freshness - 1)
	letIn(t, there, text)
	refused(t, there, "Bearer "+young, access.Unknown)
	o.now = o.now.Add(1)
	refused(t, there, "Bearer "+text, access.Revoked)
	letIn(t, there, young)
}

// Requests must not wear the database down, made-up keys least of all.
func TestTheDatabaseIsAskedByTheClockNotByRequests(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	letIn(t, o.Keys, text)
	o.cut = true
	for range 3 {
		letIn(t, o.Keys, text)
		refused(t, o.Keys, "Bearer rk_aaaaaaaaaaaa_"+text[len(text)-43:], access.Unknown)
	}
}

func TestWithoutADatabaseWhatIsKnownHoldsAWhileAndNoLonger(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	letIn(t, o.Keys, text)
	o.cut = true
	o.now = o.now.Add(access.Staleness - 1)
	letIn(t, o.Keys, text)
	o.now = o.now.Add(1)
	p, err := o.Authenticate(context.Background(), "Bearer "+text)
	if why := access.Refusal(0); err == nil || errors.As(err, &why) {
		t.Errorf("without a database: %+v, %v; want an error that is no refusal", p, err)
	}
}

func TestOnlyHashesAreStored(t *testing.T) {
	o := open(t)
	key, text := o.create(t, "a", scope.Read)
	secret := text[len(text)-43:]
	stored, row := o.inDatabase(t, key.ID)
	hash := sha256.Sum256([]byte(text))
	if want := (kept{ID: key.ID, Name: "a", Scopes: "read", Hash: hex.EncodeToString(hash[:]), Created: int64(key.Created)}); stored != want || strings.Contains(row, secret) {
		t.Errorf("stored is %s, want %+v", row, want)
	}
	// A hash copied to another row opens nothing.
	other, _ := o.create(t, "b", scope.Admin)
	o.meddle(t, other.ID, func(k *kept) { k.Hash = stored.Hash })
	refused(t, o.process(), "Bearer rk_"+other.ID+"_"+secret, access.Mismatch)
}

func TestADamagedRowShutsNobodyElseOut(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	damaged, cut := o.create(t, "b", scope.Read)
	whole, row := o.inDatabase(t, damaged.ID)
	for _, hash := range []string{"", "00", whole.Hash + "00", "z" + whole.Hash[1:]} {
		o.meddle(t, damaged.ID, func(k *kept) { k.Hash = hash })
		letIn(t, o.process(), text)
		refused(t, o.process(), "Bearer "+cut, access.Unknown)
	}
	for _, value := range []string{"{}", "[]", strings.Replace(row, "{", `{"id":"x",`, 1)} {
		o.store(t, func(tx record.Tx) error {
			tx.Put("keys", damaged.ID, []byte(value))
			return nil
		})
		letIn(t, o.process(), text)
		refused(t, o.process(), "Bearer "+cut, access.Unknown)
	}
}

func TestListShowsKeysInOrderWithoutSecrets(t *testing.T) {
	o := open(t)
	a, _ := o.create(t, "a", scope.Ingest)
	o.now = o.now.Add(time.Second)
	b, _ := o.create(t, "b", scope.Admin|scope.Read)
	b, err := o.Revoke(context.Background(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	list, err := o.List(context.Background())
	if err != nil || !reflect.DeepEqual(list, []access.Key{a, b}) {
		t.Errorf("the list is %+v (%v), want %+v and %+v", list, err, a, b)
	}
	if got := b.Scopes.String(); got != "read,admin" {
		t.Errorf("the scopes are written %q", got)
	}
}

func TestCreateRefusesWhatMakesNoSense(t *testing.T) {
	o := open(t)
	for name, scopes := range map[string]scope.Set{"": scope.Read, " ": scope.Read, "a\nb": scope.Read, "no scope": 0, strings.Repeat("n", access.MaxName+1): scope.Read, "\xff": scope.Read} {
		if _, _, err := o.Create(context.Background(), access.Key{Name: name, Scopes: scopes}); err == nil {
			t.Errorf("a key %q with scopes %d was made", name, scopes)
		}
	}
	if list, err := o.List(context.Background()); err != nil || len(list) > 0 {
		t.Errorf("there are keys %+v (%v)", list, err)
	}
}

func TestThereAreNotMoreKeysThanAreKeptInMemory(t *testing.T) {
	o := open(t)
	o.store(t, func(tx record.Tx) error {
		for i := range access.MaxKeys {
			id := fmt.Sprint("key", i)
			if err := table.Put(tx, id, &kept{ID: id, Name: "one of many", Scopes: "read"}); err != nil {
				return err
			}
		}
		return nil
	})
	if _, _, err := o.Create(context.Background(), access.Key{Name: "one more", Scopes: scope.Read}); err == nil {
		t.Fatal("one more key was made")
	}
	if _, err := o.Revoke(context.Background(), "key1"); err != nil {
		t.Fatal(err)
	}
	o.create(t, "in its place", scope.Read)
}

// Of many who make the last key that there may be, one does.
func TestTheLastKeyIsMadeOnce(t *testing.T) {
	o := open(t)
	o.store(t, func(tx record.Tx) error {
		for i := range access.MaxKeys - 1 {
			id := fmt.Sprint("key", i)
			if err := table.Put(tx, id, &kept{ID: id, Name: "one of many", Scopes: "read"}); err != nil {
				return err
			}
		}
		return nil
	})
	var made atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, _, err := o.process().Create(context.Background(), access.Key{Name: "the last", Scopes: scope.Read}); err == nil {
				made.Add(1)
			}
		})
	}
	all.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("%d keys were made where there was room for one", n)
	}
}

func TestWaitingForTheKeysEndsWithTheRequest(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := o.Authenticate(ctx, "Bearer "+text); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended gets %v", err)
	}
	letIn(t, o.Keys, text)
}

// That a comparison takes the same time however much agrees cannot be measured
// reliably; that it is made by the one function that promises so can be seen.
func TestHashesAreComparedInConstantTime(t *testing.T) {
	compared := 0
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("the sources are %q (%v)", files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if p, ok := n.X.(*ast.Ident); ok && (p.Name == "bytes" || p.Name == "reflect") {
					t.Errorf("%s uses %s.%s, which takes as long as its arguments agree", name, p.Name, n.Sel.Name)
				}
				if n.Sel.Name == "ConstantTimeCompare" {
					compared++
				}
			case *ast.BinaryExpr:
				for _, side := range []ast.Expr{n.X, n.Y} {
					ast.Inspect(side, func(m ast.Node) bool {
						if id, ok := m.(*ast.Ident); ok && (n.Op == token.EQL || n.Op == token.NEQ) && (id.Name == "given" || id.Name == "secret" || id.Name == "text") {
							if call, ok := side.(*ast.CallExpr); !ok || !strings.HasPrefix(callee(call), "ConstantTime") {
								t.Errorf("%s compares %s with ==", name, id.Name)
							}
						}
						return true
					})
				}
			}
			return true
		})
	}
	if compared != 1 {
		t.Errorf("hashes are compared in %d places, want one", compared)
	}
}

func callee(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

func TestARequestThatIsLetInAllocatesNothing(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	letIn(t, o.Keys, text)
	header, ctx := "Bearer "+text, context.Background()
	wrong := "Bearer rk_aaaaaaaaaaaa_" + text[len(text)-43:]
	for _, header := range []string{header, wrong, "Bearer nonsense"} {
		if n := testing.AllocsPerRun(100, func() { o.Authenticate(ctx, header) }); n > 0 {
			t.Errorf("%s… allocates %v times", header[:12], n)
		}
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	k := access.New(pebbletest.Open(b), time.Now)
	_, text, err := k.Create(context.Background(), access.Key{Name: "a", Scopes: scope.Read})
	if err != nil {
		b.Fatal(err)
	}
	header := "Bearer " + text
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Authenticate(context.Background(), header); err != nil {
			b.Fatal(err)
		}
	}
}
