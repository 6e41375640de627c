package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// webhooks runs recoup webhooks at the database hooks in the current folder.
func webhooks(args ...string) (stdout, stderr string, err error) {
	return recoup(append(append([]string{"webhooks"}, args...), "--db", "hooks")...)
}

// newHooks makes that database.
func newHooks(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	db, err := openOrCreate(context.Background(), "hooks")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// hookOutput is what webhooks prints as JSON.
type hookOutput struct {
	Endpoints []struct {
		ID, URL, Secret string
		Types           []string
		Created         string  `json:"created_at"`
		Disabled        *string `json:"disabled_at"`
		Due, Dead       int
	}
	Dead []struct {
		Number                         int
		ID                             string `json:"webhook_id"`
		Endpoint, Account, Type, Error string
		Attempts                       int
	}
	Replayed int
}

func webhooksJSON(t *testing.T, args ...string) (o hookOutput) {
	t.Helper()
	stdout, _, err := webhooks(append(args, "--output", "json")...)
	if err != nil {
		t.Fatalf("recoup webhooks %s: %v", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal([]byte(stdout), &o); err != nil {
		t.Fatalf("recoup webhooks %s prints %s: %v", strings.Join(args, " "), stdout, err)
	}
	return o
}

func TestEndpointsAreLookedAfter(t *testing.T) {
	newHooks(t)
	stdout, stderr, err := webhooks("add", "https://example.com/hooks", "--type", "reward.posted,redemption.denied")
	if err != nil || !strings.Contains(stdout, "whsec_") || !strings.Contains(stderr, "cannot be shown again") {
		t.Fatalf("adding prints %q and %q, %v", stdout, stderr, err)
	}
	stdout, _, err = webhooks("list")
	if err != nil || !strings.Contains(stdout, "https://example.com/hooks") || !strings.Contains(stdout, "redemption.denied, reward.posted") || strings.Contains(stdout, "whsec_") {
		t.Errorf("the list, which must have no secrets, is (%v)\n%s", err, stdout)
	}
	added := webhooksJSON(t, "add", "http://127.0.0.1:8080/", "--allow-private").Endpoints
	if len(added) != 1 || len(added[0].Types) != len(outbox.NoticeTypes) || added[0].Disabled != nil || !strings.HasPrefix(added[0].Secret, "whsec_") {
		t.Fatalf("added is %+v", added)
	}
	id := added[0].ID
	rotated := webhooksJSON(t, "rotate", id).Endpoints
	if len(rotated) != 1 || rotated[0].ID != id || rotated[0].Secret == added[0].Secret || !strings.HasPrefix(rotated[0].Secret, "whsec_") {
		t.Errorf("rotated is %+v", rotated)
	}
	if off := webhooksJSON(t, "disable", id).Endpoints; len(off) != 1 || off[0].Disabled == nil || off[0].Secret != "" {
		t.Errorf("disabled is %+v", off)
	}
	if on := webhooksJSON(t, "enable", id).Endpoints; len(on) != 1 || on[0].Disabled != nil {
		t.Errorf("enabled is %+v", on)
	}
	if gone := webhooksJSON(t, "remove", id).Endpoints; len(gone) != 1 || gone[0].ID != id {
		t.Errorf("removed is %+v", gone)
	}
	if list := webhooksJSON(t, "list").Endpoints; len(list) != 1 || list[0].ID == id {
		t.Errorf("the list is %+v", list)
	}
}

func TestDeadLettersAreListedAndReplayed(t *testing.T) {
	newHooks(t)
	id := webhooksJSON(t, "add", "https://example.com/").Endpoints[0].ID
	db, err := openDatabase(t.Context(), "hooks")
	if err != nil {
		t.Fatal(err)
	}
	err = db.Change(t.Context(), func(tx record.Tx) error {
		for number := range int64(3) {
			d := outbox.Delivery{Endpoint: id, Event: number, Account: "a1", Type: outbox.RewardPosted, Body: []byte("{}"),
				Attempts: 10, Error: "answered 500", Number: number + 1}
			if err := outbox.DeadLetters.Put(tx, d.DeadKey(), &d); err != nil {
				return err
			}
		}
		last := int64(3)
		return outbox.Counters.Put(tx, outbox.LastDead, &last)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	dead := webhooksJSON(t, "dead").Dead
	if len(dead) != 3 || dead[0].Endpoint != id || dead[0].Account != "a1" || dead[0].Type != "reward.posted" || dead[0].Attempts != 10 ||
		dead[0].Error != "answered 500" || !strings.HasPrefix(dead[0].ID, "msg_") {
		t.Fatalf("the dead letters are %+v", dead)
	}
	stdout, stderr, err := webhooks("dead", "--endpoint", id, "--limit", "2")
	if err != nil || strings.Count(stdout, "answered 500") != 2 || !strings.Contains(stderr, "--after 2") {
		t.Errorf("the first two are %s and %q, %v", stdout, stderr, err)
	}
	if o := webhooksJSON(t, "dead", "--after", "2"); len(o.Dead) != 1 || o.Dead[0].Number != 3 {
		t.Errorf("the third is %+v", o)
	}
	if o := webhooksJSON(t, "replay", "2"); o.Replayed != 1 {
		t.Errorf("one is replayed: %+v", o)
	}
	if o := webhooksJSON(t, "replay", "--endpoint", id); o.Replayed != 2 {
		t.Errorf("the others are replayed: %+v", o)
	}
	if list := webhooksJSON(t, "list").Endpoints; list[0].Due != 3 || list[0].Dead != 0 {
		t.Errorf("the endpoint is %+v", list)
	}
}

func TestWebhooksRefuse(t *testing.T) {
	newHooks(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"add"}, "expected one argument, the URL that deliveries are posted to"},
		{[]string{"add", "http://example.com"}, "expected https"},
		{[]string{"add", "https://10.0.0.1/"}, "private addresses are not allowed"},
		{[]string{"add", "https://example.com", "--type", "x"}, "expected one of reward.posted"},
		{[]string{"rotate", "ep_x"}, "webhooks list"},
		{[]string{"rotate", "ep_x", "--overlap", "-1s"}, "expected zero or more"},
		{[]string{"replay"}, "expected the number of one dead letter, or --endpoint"},
		{[]string{"replay", "1", "--endpoint", "ep_x"}, "expected the number of one dead letter, or --endpoint"},
		{[]string{"replay", "x"}, "expected the number of a dead letter"},
		{[]string{"replay", "7"}, "webhooks dead"},
		{[]string{"dead", "--limit", "0"}, "expected at least 1"},
		{[]string{"list", "--output", "xml"}, "expected table or json"},
	} {
		if _, _, err := webhooks(c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("recoup webhooks %s: %v, want %q", strings.Join(c.args, " "), err, c.want)
		}
	}
	if _, _, err := webhooks("disable", "ep_x"); !errors.Is(err, webhook.ErrNotFound) {
		t.Errorf("disabling what is not there: %v", err)
	}
}
