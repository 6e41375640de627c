package access_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/service/scope"
)

func TestRolesAllowWhatTheyAreNamedFor(t *testing.T) {
	for _, tt := range []struct {
		role access.Role
		name string
		may  string
	}{
		{access.Viewer, "viewer", "read"},
		{access.Operator, "operator", "read,operate"},
		{access.Approver, "approver", "read,operate,approve"},
		{access.Administrator, "admin", "ingest,redeem,read,operate,approve,admin"},
	} {
		var may []string
		for _, scope := range []scope.Set{scope.Ingest, scope.Redeem, scope.Read, scope.Operate, scope.Approve, scope.Admin} {
			if tt.role.Scopes().Has(scope) {
				may = append(may, scope.String())
			}
		}
		if got := strings.Join(may, ","); got != tt.may {
			t.Errorf("%v may %s, want %s", tt.role, got, tt.may)
		}
		if r, err := access.ParseRole(tt.name); r != tt.role || err != nil || r.String() != tt.name {
			t.Errorf("%q is the role %v (%v), want %v", tt.name, r, err, tt.role)
		}
		if r, ok := access.RoleOf(tt.role.Scopes()); r != tt.role || !ok {
			t.Errorf("the scopes of %v are of the role %v (%v)", tt.role, r, ok)
		}
	}
}

func TestWhatIsNoRole(t *testing.T) {
	for _, name := range []string{"", "none", "Viewer", "viewer ", "administrator", "read"} {
		if r, err := access.ParseRole(name); err == nil || r != 0 || !strings.Contains(err.Error(), "expected one of viewer, operator, approver, admin") {
			t.Errorf("%q is the role %v (%v)", name, r, err)
		}
	}
	for _, r := range []access.Role{0, access.Administrator + 1, 255} {
		if r.String() != "none" || r.Scopes() != 0 {
			t.Errorf("role %d is %v and may %v", uint8(r), r, r.Scopes())
		}
	}
}

func TestTheRoleOfAKeyIsTheStrongestThatItsScopesAddUpTo(t *testing.T) {
	for _, tt := range []struct {
		scopes scope.Set
		want   access.Role
	}{
		{0, 0},
		{scope.Ingest | scope.Redeem, 0},
		{scope.Operate | scope.Approve, 0}, // who may not look cannot decide
		{scope.Read | scope.Redeem, access.Viewer},
		{scope.Read | scope.Approve, access.Viewer},
		{scope.Read | scope.Operate | scope.Ingest, access.Operator},
		{scope.Read | scope.Operate | scope.Approve, access.Approver},
		{scope.Ingest | scope.Admin, access.Administrator},
	} {
		if r, ok := access.RoleOf(tt.scopes); r != tt.want || ok != (tt.want != 0) {
			t.Errorf("the role of %q is %v (%v), want %v", tt.scopes, r, ok, tt.want)
		}
	}
}

func TestHolderIsWhoseKeyItIsNow(t *testing.T) {
	ctx := context.Background()
	o := open(t)
	there := o.process()
	key, text := o.create(t, "Vera", scope.Read|scope.Operate)
	p, err := o.Holder(ctx, key.ID)
	if err != nil || !reflect.DeepEqual(p, letIn(t, o.Keys, text)) {
		t.Errorf("the holder is %+v (%v)", p, err)
	}
	if p, err := o.Holder(ctx, "aaaaaaaaaaaa"); err != access.Unknown || p.ID != "" {
		t.Errorf("the holder of no key is %+v (%v)", p, err)
	}
	letIn(t, there, text)
	if _, err := o.Revoke(ctx, key.ID); err != nil {
		t.Fatal(err)
	}
	if p, err := o.Holder(ctx, key.ID); err != access.Revoked || p.Scopes != 0 {
		t.Errorf("the holder of a revoked key is %+v (%v)", p, err)
	}
	o.now = o.now.Add(access.Freshness)
	if _, err := there.Holder(ctx, key.ID); err != access.Revoked {
		t.Errorf("a second later another process says %v", err)
	}

	o.cut = true
	o.now = o.now.Add(access.Staleness)
	if _, err := there.Holder(ctx, key.ID); err == nil || errors.As(err, new(access.Refusal)) {
		t.Errorf("without a database the holder is unknown as %v; want an error that is no refusal", err)
	}
}

// A key that was made before there were roles, or by a later version with a scope
// that is not known here, means what it says.
func TestScopesAreStoredByName(t *testing.T) {
	o := open(t)
	key, text := o.create(t, "old", scope.Read|scope.Admin)
	for stored, want := range map[string]scope.Set{
		"ingest,redeem,read,admin": scope.Ingest | scope.Redeem | scope.Read | scope.Admin,
		"read,operate,approve":     scope.Read | scope.Operate | scope.Approve,
		"read,settle":              scope.Read,
	} {
		o.meddle(t, key.ID, func(k *kept) { k.Scopes = stored })
		o.now = o.now.Add(time.Minute)
		if p := letIn(t, o.Keys, text); p.Scopes != want {
			t.Errorf("stored as %q the scopes are %v, want %v", stored, p.Scopes, want)
		}
	}
}
