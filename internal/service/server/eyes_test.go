package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/internal/service/server"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/reward"
)

// bureau is a service in which people decide, with their keys over a real database.
type bureau struct {
	*service
	people *access.People
	book   *approval.Book
	keys   *access.Keys
	log    *security.Log
	raw    durable.Driver
	asked  atomic.Int64 // of how many accounts the program was looked up
	tried  func()       // called between the weighing of a decision and its turn; nil: nothing is
}

// trying is a ledger that lets somebody in after each weighing.
type trying struct {
	server.Ledger
	*bureau
}

func (l trying) Try(ctx context.Context, e reward.Event) (durable.Trial, bool, error) {
	t, ok, err := l.Ledger.Try(ctx, e)
	if l.tried != nil {
		l.tried()
	}
	return t, ok, err
}

// eachBureau runs a test on a bureau over each database.
func eachBureau(t *testing.T, test func(*testing.T, *bureau)) { eachBureauOf(t, everyday, test) }

// eachBureauOf is eachBureau under some terms.
func eachBureauOf(t *testing.T, terms string, test func(*testing.T, *bureau)) {
	t.Run("pebble", func(t *testing.T) { test(t, openBureau(t, pebbletest.Open(t), terms)) })
	t.Run("postgres", func(t *testing.T) {
		db, err := postgres.Open(t.Context(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		test(t, openBureau(t, db, terms))
	})
}

// gate lets in who has a key, with its limits.
type gate struct{ *access.Keys }

func (g gate) Authenticate(ctx context.Context, header string) (server.Principal, error) {
	p, err := g.Keys.Authenticate(ctx, header)
	if err != nil {
		return server.Principal{ID: p.ID, Name: p.Name}, server.ErrUnauthenticated
	}
	return server.Principal{ID: p.ID, Name: p.Name, Scopes: p.Scopes, Limits: &p.Limits}, nil
}

func (l trying) ProgramOf(ctx context.Context, account string) (string, bool, error) {
	l.asked.Add(1)
	return l.Ledger.ProgramOf(ctx, account)
}

func (l trying) ProgramsOf(ctx context.Context, accounts []string) (map[string]string, error) {
	l.asked.Add(int64(len(accounts)))
	return l.Ledger.ProgramsOf(ctx, accounts)
}

func openBureau(t *testing.T, db durable.Driver, terms string, change ...func(*server.Options)) *bureau {
	b := &bureau{raw: db}
	b.service = startOn(t, db, "recoup.test", terms, append([]func(*server.Options){func(o *server.Options) {
		clock := o.Now
		b.people, b.keys, b.log = access.NewPeople(db, clock), access.New(db, clock), security.New(db, clock)
		b.book = approval.New(approval.Options{
			Records: db, Now: clock, Accounts: o.Ledger.(*durable.Store), People: b.people, Programs: o.Programs.(*durable.Programs), Security: b.log,
			Apply: func(ctx context.Context, e reward.Event) (reward.Result, error) {
				results, err := o.Applier.Apply(ctx, []reward.Event{e}, nil)
				if err != nil {
					return reward.Result{}, err
				}
				return results[0], nil
			},
		})
		o.Preview = func(context.Context, string, []byte, int) (any, bool, error) { return struct{}{}, true, nil }
		o.Ledger = trying{o.Ledger, b}
		o.Authenticator, o.Approvals, o.Alone, o.Security = gate{b.keys}, b.book, approval.Limits{Of: map[string]int64{"USD": 2500, "JPY": 4000}}, b.log
	}}, change...))
	_, reader := b.key("a reader", scope.Read)
	b.docs = readDocument(t, "recoup.test", b.Server, reader)
	return b
}

// key is the text of a new key.
func (b *bureau) key(name string, scopes scope.Set, limits ...access.Limits) (id, text string) {
	b.Helper()
	like := access.Key{Name: name, Scopes: scopes}
	if len(limits) > 0 {
		like.Limits = limits[0]
	}
	key, text, err := b.keys.Create(context.Background(), like)
	if err != nil {
		b.Fatal(err)
	}
	return key.ID, text
}

func (b *bureau) post(key, path, idempotency, body string) *answer {
	b.Helper()
	return b.call(key, "POST", path, "application/json", body, "Idempotency-Key", idempotency)
}

func (b *bureau) balance(key, account string) string {
	b.Helper()
	var v struct{ Balance int64 }
	b.call(key, "GET", "/v1/accounts/"+account, "", "").status200().read(&v)
	return fmt.Sprint(v.Balance)
}

// However many events a batch has, each of its accounts is asked about once.
func TestABatchAsksOnceForEachAccount(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, key := b.key("core", scope.Ingest, access.Limits{Sources: []string{"*"}, Programs: []string{"everyday"}})
		var list []string
		for n := range 600 {
			list = append(list, purchase(n, fmt.Sprint("acct-", n%3), 100))
		}
		for media, body := range map[string]string{batch: "[" + strings.Join(list, ",") + "]", lines: strings.Join(list[:300], "\n")} {
			b.asked.Store(0)
			b.call(key, "POST", "/v1/events", media, body).status200()
			if got := b.asked.Load(); got > 12 { // a stream may come in several pieces
				t.Errorf("%s: %d accounts were asked about", media, got)
			}
		}
	})
}

// $5,000.00 in 200 pieces: what is too much for one person stays so.
func TestSmallAdjustmentsAddUp(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, admin := b.key("Ada", scope.Admin)
		b.call(admin, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		posted := 0
		for n := range 200 {
			a := b.post(admin, "/v1/accounts/acct/adjustments", fmt.Sprintf("key-%05d", n), `{"amount":2500,"currency":"USD","reason":"goodwill"}`)
			switch a.status {
			case 201:
				posted++
			case 409:
				a.fails(409, "approval_needed")
			default:
				t.Fatal(a.body)
			}
			if n == 5 {
				break
			}
		}
		if posted != approval.AccountDay || b.balance(admin, "acct") != "5005" {
			t.Errorf("%d were posted, and the balance is %s", posted, b.balance(admin, "acct"))
		}
		// On many accounts, a person's own sum ends it; a day later there is room again.
		more := 0
		for n := range 6 {
			account := fmt.Sprintf("other-%d", n)
			b.call(admin, "POST", "/v1/events", one, purchase(10+n, account, 100)).status200()
			if b.post(admin, "/v1/accounts/"+account+"/adjustments", fmt.Sprintf("more-%05d", n), `{"amount":2500,"currency":"USD","reason":"goodwill"}`).status == 201 {
				more++
			}
		}
		if posted+more != approval.PersonDay {
			t.Errorf("one person has posted %d in a day", posted+more)
		}
		b.clock.pass(26 * time.Hour)
		b.post(admin, "/v1/accounts/other-5/adjustments", "later-0001", `{"amount":2500,"currency":"USD","reason":"goodwill"}`).is(201)
	})
}

// A second key under a name that looks the same, and a key of the same person, are nobody
// else. What somebody else approves is posted once, with both names.
func TestTheSecondPersonIsSomebodyElse(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("approver", scope.Admin)
		_, twin := b.key("approver\u200b", scope.Admin)
		laptop, hers := b.key("laptop", scope.Admin)
		_, kim := b.key("Kim", access.Approver.Scopes())
		_, viewer := b.key("Vera", scope.Read)
		person, err := b.people.Named(t.Context(), "approver")
		if err == nil {
			_, err = b.people.Link(t.Context(), person.ID, laptop)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		body := `{"amount":5000,"currency":"USD","reason":"goodwill"}`
		var refused server.Problem
		a := b.post(ada, "/v1/accounts/acct/adjustments", "key-00001", body).fails(409, "approval_needed")
		a.read(&refused)
		if again := b.post(ada, "/v1/accounts/acct/adjustments", "key-00001", body).fails(409, "approval_needed"); again.body != a.body {
			t.Errorf("again: %s, want %s", again.body, a.body)
		}
		path := fmt.Sprintf("/v1/proposals/%d/approval", refused.Proposal)
		for _, same := range []string{ada, twin, hers} {
			b.post(same, path, "", "").fails(409, "same_person")
		}
		b.post(viewer, path, "", "").fails(403, "scope_missing")
		if got := b.balance(ada, "acct"); got != "5" {
			t.Fatalf("the balance is %s", got)
		}
		b.post(kim, path, "", "").is(200).has("state", `"approved"`, "proposer", `"approver"`, "decider", `"Kim"`)
		b.post(ada, path, "", "").fails(409, "same_person")
		b.post(ada, "/v1/accounts/acct/adjustments", "key-00001", body).is(201).has("balance", "5005", "approver", `"Kim"`, "actor", `"approver"`)
		var list struct {
			Entries []struct{ Actor, Approver, Principal string }
		}
		b.call(ada, "GET", "/v1/accounts/acct/entries?limit=1", "", "").read(&list)
		if e := list.Entries[0]; e.Actor != "approver" || e.Approver != "Kim" || e.Principal == "" {
			t.Errorf("the journal has %+v", e)
		}
	})
}

// What somebody inserts into the table of proposals does nothing.
func TestAnInsertedProposalDoesNothing(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		_, kim := b.key("Kim", access.Approver.Scopes())
		b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		row := []byte(`{"number":1,"account":"acct","adjustment":"mine","amount":9999999,"currency":"USD","reason":"x","proposer":{"id":"x","name":"X"},"proposed_at":1768000000000000000,"state":"open","decider":{"id":"y","name":"Y"},"decided_at":1768000000000000001}`)
		err := b.raw.Change(t.Context(), func(tx record.Tx) error {
			for _, table := range []string{"proposals", "proposals_open"} {
				tx.Put(table, record.Key(int64(1)), row)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := b.book.Finish(t.Context()); n != 0 || err != nil {
			t.Errorf("%d were posted (%v)", n, err)
		}
		b.post(kim, "/v1/proposals/1/approval", "", "").fails(404, "proposal_unknown")
		if got := b.balance(ada, "acct"); got != "5" {
			t.Errorf("the balance is %s", got)
		}
		b.found("proposal 1 ")
	})
}

// found has verify find one thing, or nothing if that is "".
func (b *bureau) found(what string) {
	b.Helper()
	report, err := verify.Run(context.Background(), b.raw, verify.Options{Programs: b.ledger.Programs()})
	if err != nil {
		b.Fatal(err)
	}
	if what == "" && report.Count > 0 || what != "" && (report.Count != 1 || !strings.Contains(report.Differences[0].Found, what)) {
		b.Errorf("verify finds %+v, want %q", report.Differences, what)
	}
}

// One admin publishes nothing alone, and lets no account into terms that a key was not made
// for.
func TestTermsTakeTwoAdmins(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		_, kim := b.key("Kim", access.Approver.Scopes())
		_, bob := b.key("Bob", scope.Admin)
		_, core := b.key("core", scope.Ingest)
		_, gold := b.key("gold", scope.Ingest, access.Limits{Programs: []string{"all", "everyday"}})
		terms := "id: all\ncurrency: USD\nrules: [{id: base, rate: 100%}]\n"
		put := func(key string) *answer { return b.call(key, "PUT", "/v1/programs/all", "application/yaml", terms) }
		var refused server.Problem
		put(ada).fails(409, "approval_needed").read(&refused)
		put(ada).fails(409, "approval_needed")
		b.call(ada, "GET", "/v1/programs/all", "", "").fails(404, "program_not_found")
		path := fmt.Sprintf("/v1/proposals/%d/approval", refused.Proposal)
		b.post(ada, path, "", "").fails(409, "same_person")
		b.post(bob, path, "", "").is(200).has("action", `"program.published"`, "state", `"approved"`)
		b.call(ada, "GET", "/v1/programs/all", "", "").status200().has("actor", `"Ada, approved by Bob"`)

		open := func(key, account string, n int) *answer {
			return b.call(key, "POST", "/v1/events", one, cloudEvent(n, "account.opened", account, `"program":"all"`))
		}
		for n, key := range []string{core, ada} {
			if a := open(key, "acct", 20+n); a.outcome(a.body) != "rejected approval_needed" {
				t.Errorf("an account was opened: %s", a.body)
			}
		}
		if a := open(gold, "acct-2", 30); a.outcome(a.body) != "applied" {
			t.Errorf("a key that is made for it: %s", a.body)
		}
		var p server.Proposal
		b.post(ada, "/v1/accounts/acct-3/opening", "open-0001", `{"program":"all","reason":"staff"}`).is(200).read(&p)
		b.call(ada, "GET", "/v1/accounts/acct-3", "", "").fails(404, "account_unknown")
		b.post(kim, fmt.Sprintf("/v1/proposals/%d/approval", p.Number), "", "").is(200)
		b.call(ada, "GET", "/v1/accounts/acct-3", "", "").status200().has("program", `"all"`)
		b.post(ada, "/v1/accounts/acct-4/opening", "open-0002", `{"program":"all","reason":"staff"}`).is(200).read(&p)
		b.post(kim, fmt.Sprintf("/v1/proposals/%d/rejection", p.Number), "", `{"note":"no"}`).is(200).has("state", `"rejected"`)
		b.call(ada, "GET", "/v1/accounts/acct-4", "", "").fails(404, "account_unknown")

		b.found("")
		err := b.raw.Change(t.Context(), func(tx record.Tx) error {
			key := record.Key("all", int64(1))
			value, _, err := tx.Get(t.Context(), "programs", key)
			tx.Put("programs", key, []byte(strings.Replace(string(value), "100%", "200%", 1)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		b.found("version 1 of program all is not what the log says was published")
	})
}

// A refund that names its purchase stays there; one that does not goes where there is room,
// and by how much it moves rewards counts.
func TestOnlyOpenRefundsAreLinked(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		_, desk := b.key("Oscar", access.Operator.Scopes()|scope.Ingest)
		send := func(n int, kind, data string) {
			t.Helper()
			b.call(ada, "POST", "/v1/events", one, cloudEvent(n, kind, "acct", data)).status200()
		}
		send(1, "transaction.settled", `"transaction":"dear","amount":100000,"currency":"USD","merchant":"m1","category":"GROCERY"`)
		send(2, "transaction.settled", `"transaction":"cheap","amount":99,"currency":"USD","merchant":"m1","category":"GROCERY"`)
		send(3, "refund.posted", `"refund":"linked","amount":99,"currency":"USD","transaction":"dear"`)
		send(4, "refund.posted", `"refund":"free","amount":90000,"currency":"USD"`)
		link := func(key, refund, to string) string {
			t.Helper()
			n := len(refund) + len(to)
			line := cloudEvent(100+n, "refund.linked", "acct", fmt.Sprintf(`"refund":%q,"transaction":%q,"reason":"x","actor":%q`, refund, to, map[string]string{ada: "Ada", desk: "Oscar"}[key]))
			a := b.call(key, "POST", "/v1/events", one, line).status200()
			return a.outcome(a.body)
		}
		if got := link(desk, "linked", "cheap"); got != "rejected refund_linked" {
			t.Errorf("a linked refund: %s", got)
		}
		if got := link(desk, "free", "cheap"); got != "rejected no_room" {
			t.Errorf("where there is no room: %s", got)
		}
		if got := b.call(desk, "POST", "/v1/events", one, cloudEvent(200, "refund.dismissed", "acct", `"refund":"free","reason":"x","actor":"somebody"`)); got.outcome(got.body) != "rejected actor_refused" {
			t.Errorf("under another name: %s", got.body)
		}
		if got := b.call(desk, "POST", "/v1/events", one, cloudEvent(201, "refund.reversed", "acct", `"refund":"free","reason":"not ours","actor":"somebody"`)); got.outcome(got.body) != "rejected actor_refused" {
			t.Errorf("a sender says that a person undid a refund: %s", got.body)
		}
		var page struct{ Reviews []review }
		b.call(ada, "GET", "/v1/reviews", "", "").status200().read(&page)
		for _, r := range page.Reviews {
			if r.Fact == "free" {
				b.post(desk, "/v1/reviews/"+r.ID+"/resolution", "link-0001", `{"action":"link","transaction":"cheap","reason":"x"}`).fails(409, "no_room")
				b.post(desk, "/v1/reviews/"+r.ID+"/resolution", "link-0002", `{"action":"link","transaction":"dear","reason":"x","actor":"Ada"}`).fails(422, "actor_refused")
			}
		}
	})
}

func TestAKeyIsForItsSourcesAndAccounts(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		_, core := b.key("core", scope.Ingest|scope.Read, access.Limits{Sources: []string{"core"}, Accounts: []string{"eu-"}})
		_, pos := b.key("pos", scope.Ingest, access.Limits{Sources: []string{"pos-*"}})
		for _, c := range []struct{ key, account, want string }{
			{core, "eu-1", "applied"}, {core, "us-1", "rejected account_refused"}, {pos, "eu-1", "rejected source_refused"},
		} {
			a := b.call(c.key, "POST", "/v1/events", one, purchase(1, c.account, 100)).status200()
			if got := a.outcome(a.body); got != c.want {
				t.Errorf("%s, want %s", a.body, c.want)
			}
		}
		b.call(ada, "POST", "/v1/events", one, purchase(2, "us-1", 100)).status200()
		b.call(core, "GET", "/v1/accounts/eu-1", "", "").status200()
		b.call(core, "GET", "/v1/accounts/us-1", "", "").fails(403, "account_refused")
		b.call(core, "GET", "/v1/reviews", "", "").fails(403, "account_refused")
		b.call(core, "GET", "/v1/alerts?account=eu-1", "", "").fails(403, "account_refused")
		b.call(core, "POST", "/v1/programs/everyday/preview", "application/yaml", everyday).fails(403, "account_refused")
		b.call(ada, "POST", "/v1/programs/everyday/preview", "application/yaml", everyday).status200()
		b.call(core, "GET", "/v1/reviews?account=eu-1", "", "").status200()
		b.call(core, "GET", "/v1/reviews?account=us-1", "", "").fails(403, "account_refused")
		b.call("rk_nobody", "GET", "/v1/accounts/eu-1", "", "").fails(401, "unauthenticated")
		for _, line := range []string{
			cloudEvent(9, "proposal.made", "eu-1", `"proposal":"p","action":"adjustment.posted","about":"p","amount":9,"currency":"USD","reason":"x","actor":"Ada"`),
			cloudEvent(10, "program.published", "recoup:terms", `"program":"x","digest":"x","reason":"x","actor":"a","approver":"b"`),
			cloudEvent(11, "transaction.settled", "recoup:terms", `"transaction":"t","amount":9,"currency":"USD"`),
		} {
			if a := b.call(ada, "POST", "/v1/events", one, line); a.outcome(a.body) != "rejected source_reserved" {
				t.Errorf("%s: %s", line, a.body)
			}
		}
		log, err := b.log.Before(t.Context(), 0, 100)
		if err != nil || len(log) < 4 || log[0].What != security.SignInRefused || log[0].Address == "" {
			t.Errorf("the security log has %+v (%v)", log, err)
		}
	})
}
