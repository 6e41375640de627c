package session_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"recoup/internal/console/session"
	"recoup/internal/service/access"
	"recoup/internal/store/record"
)

func TestASessionThatIsNotUsedEnds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d := openDesk(t, db, func(o *session.Options) { o.Idle = 30 * time.Minute })
		_, key := d.key("Vera", access.Viewer.Scopes())
		token, vera := d.signIn(key)
		for range 4 {
			d.pass(29 * time.Minute)
			d.sent(d.Sessions, token, vera)
		}
		d.pass(31 * time.Minute)
		d.nobody(d.Sessions, token, "not used for half an hour")
	})
}

// The provider is asked again every five minutes: who has another role by then has it
// here, and who has none is out.
func TestASessionFollowsTheRole(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d, p := openWithProvider(t, db)
		p.Refreshing()
		b := newBrowser(t)
		a := b.arrive(d.Sessions, b.leave(d.Sessions, ""))
		if a.err != nil {
			t.Fatal(a.err)
		}
		pass := func(by time.Duration) { d.pass(by); p.Pass(by) }
		pass(4 * time.Minute)
		asked := p.Asked()
		d.sent(d.Sessions, a.token, a.person)
		if p.Asked() != asked {
			t.Error("the provider was asked before it was time")
		}
		p.Claim("roles", []string{"recoup-approver"})
		pass(2 * time.Minute)
		other := a.person
		other.Role, other.Scopes = access.Approver, access.Approver.Scopes()
		d.sent(d.Sessions, a.token, other)

		p.Down(true) // what it said last holds for a while
		pass(6 * time.Minute)
		d.sent(d.Sessions, a.token, other)
		p.Down(false)
		p.Claim("roles", nil)
		pass(time.Minute)
		d.nobody(d.Sessions, a.token, "the role was taken away")
	})
}

// Where the provider gives nothing to ask with, people go there once more.
func TestASessionThatCannotBeConfirmedEnds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d, _ := openWithProvider(t, db)
		b := newBrowser(t)
		a := b.arrive(d.Sessions, b.leave(d.Sessions, ""))
		d.pass(4 * time.Minute)
		d.sent(d.Sessions, a.token, a.person)
		d.pass(2 * time.Minute)
		d.nobody(d.Sessions, a.token, "the provider was not asked")
	})
}

func TestAProviderSignsPeopleOut(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d, p := openWithProvider(t, db)
		enter := func(sid string) arrival {
			t.Helper()
			p.Claim("sid", sid)
			b := newBrowser(t)
			a := b.arrive(d.Sessions, b.leave(d.Sessions, ""))
			if a.err != nil {
				t.Fatal(a.err)
			}
			return a
		}
		one, two := enter("s1"), enter("s2")
		for name, token := range map[string]string{
			"no token":          "x",
			"one with a nonce":  p.LogoutToken(map[string]any{"sid": "s1", "nonce": "n"}),
			"no such event":     p.LogoutToken(map[string]any{"sid": "s1", "events": map[string]any{}}),
			"about nobody":      p.LogoutToken(nil),
			"for another":       p.LogoutToken(map[string]any{"sid": "s1", "aud": "another"}),
			"one that is over":  p.LogoutToken(map[string]any{"sid": "s1", "exp": time.Now().Add(-time.Hour).Unix()}),
			"one to sign in by": p.LogoutToken(map[string]any{"sid": "s1", "events": nil}),
		} {
			if _, err := d.LoggedOut(t.Context(), token); !errors.As(err, new(*session.Denied)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		d.sent(d.Sessions, one.token, one.person)
		if ended, err := d.LoggedOut(t.Context(), p.LogoutToken(map[string]any{"sid": "s1"})); err != nil || len(ended) != 1 {
			t.Errorf("signed out are %+v (%v)", ended, err)
		}
		d.nobody(d.Sessions, one.token, "signed out at the provider")
		d.sent(d.Sessions, two.token, two.person)
		if ended, err := d.LoggedOut(t.Context(), p.LogoutToken(map[string]any{"sub": "anna"})); err != nil || len(ended) != 1 {
			t.Errorf("signed out are %+v (%v)", ended, err)
		}
		d.nobody(d.Sessions, two.token, "signed out at the provider")
	})
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d := openDesk(t, db)
		_, key := d.key("Vera", access.Viewer.Scopes())
		_, other := d.key("Oscar", access.Operator.Scopes())
		first, vera := d.signIn(key)
		second, _ := d.signIn(key)
		third, oscar := d.signIn(other)
		desk := session.NewDesk(db, d.now)
		list, err := desk.List(context.Background())
		if err != nil || len(list) != 3 {
			t.Fatalf("the list is %+v (%v)", list, err)
		}
		if ended, err := desk.End(context.Background(), vera.ID); err != nil || len(ended) != 2 {
			t.Errorf("ended are %+v (%v)", ended, err)
		}
		d.nobody(d.Sessions, first, "ended")
		d.nobody(d.Sessions, second, "ended")
		d.sent(d.Sessions, third, oscar)
		if list, err = desk.List(context.Background()); err != nil || len(list) != 1 {
			t.Fatalf("the list is %+v (%v)", list, err)
		}
		if ended, err := desk.End(context.Background(), list[0].ID); err != nil || len(ended) != 1 {
			t.Errorf("ended are %+v (%v)", ended, err)
		}
		d.nobody(d.Sessions, third, "ended")
	})
}
