// Package source reads the webhooks of card processors as they are: from one request, whose
// signature is checked, to events of Recoup. Each kind of processor is a package below it.
// Nothing here does I/O or knows the time: a body is translated by itself and by what was
// kept of those before it, so that the same body gives the same events whenever it comes.
//
// Events are named after what they tell of, so that what is delivered again, or comes in
// another order, is recognised by the rules as any redelivery is. Where that does not do,
// because a webhook leaves out what its event must say (a dispute that does not name its
// account), a translation keeps a [Note] for those that come later, or waits for one.
package source

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"recoup/event"
	"recoup/reward"
)

// MaxBody is the length in bytes of the longest body.
const MaxBody = 1 << 20

// Tolerance is how far the time in a signature may be from the receiver's.
const Tolerance = 300 * time.Second

// ErrSignature says that a request is not signed with the source's secret, or not of this
// time. It does not say why, since who asks may be anybody.
var ErrSignature = errors.New("the webhook's signature is not right")

// A Kind is a processor whose webhooks can be read.
type Kind struct {
	Name string
	// Secret checks the form of a secret, such as that of a misplaced API key.
	Secret func(secret string) error
	// Verify returns ErrSignature unless the request was signed with the secret at about now.
	Verify func(header http.Header, body []byte, secret string, now time.Time) error
	// ID names a webhook, the same on each delivery of it; "" if it does not say.
	ID func(header http.Header, body []byte) string
	// Accounts are the fields that may be the account, the usual one first.
	Accounts []string
	// AccountPrefix begins fields of which the rest is free, such as "metadata."; "": none.
	AccountPrefix string
	// Translate says what a webhook means. It is for a body whose signature is right.
	Translate func(body []byte, of Settings, notes Notes) Translation
}

// Nameless is the ID of kinds whose webhooks do not name themselves.
func Nameless(http.Header, []byte) string { return "" }

// IsAccount reports whether a field may be the account of this kind.
func (k *Kind) IsAccount(field string) bool {
	if k.AccountPrefix != "" && strings.HasPrefix(field, k.AccountPrefix) {
		return len(field) > len(k.AccountPrefix)
	}
	return slices.Contains(k.Accounts, field)
}

// Settings are what is said of one source of a kind.
type Settings struct {
	Name    string // the source of its events; every id begins with it
	Account string // the field that is the account
}

// Prefixed is an id of a processor as Recoup has it: two processors cannot collide.
func (s Settings) Prefixed(id string) string { return s.Name + ":" + id }

// A Note is kept for webhooks that come later.
type Note struct {
	Key, Value string
	// Account is whose it is, so that it can be forgotten with it.
	Account string
}

// Notes looks up what was kept under a key; "" if there is nothing.
type Notes func(key string) (value string)

// Notebook is what is known while a webhook of several parts is translated: what was kept
// before, and what its own parts want kept.
type Notebook struct {
	Before Notes
	Kept   []Note
}

// Get looks up what is kept under a key; "" if there is nothing.
func (n *Notebook) Get(key string) string {
	for _, x := range n.Kept {
		if x.Key == key {
			return x.Value
		}
	}
	return n.Before(key)
}

// Put has something kept for an account, in the place of what was.
func (n *Notebook) Put(key, value, account string) {
	at := slices.IndexFunc(n.Kept, func(x Note) bool { return x.Key == key })
	if at < 0 {
		at, n.Kept = len(n.Kept), append(n.Kept, Note{})
	}
	n.Kept[at] = Note{key, value, account}
}

// Translation is what a webhook means: events, or why there are none.
type Translation struct {
	// Events are to be applied in this order.
	Events []reward.Event
	// Keep is kept for later webhooks, before the events are applied.
	Keep []Note
	// Ignored says why nothing of it is of interest, such as that a purchase was declined.
	Ignored string
	// Dead says what of it cannot be mapped and why, for a person to read. What can be is
	// among the events all the same.
	Dead string
	// Waits is the key of a note without which it cannot be mapped. With Dead, which says
	// so in words.
	Waits string
}

// Ignore is a translation of what is of no interest.
func Ignore(why string) Translation { return Translation{Ignored: why} }

// Dead is a translation of what cannot be mapped.
func Dead(why string) Translation { return Translation{Dead: why} }

// Wait is a translation of what cannot be mapped before a note is there.
func Wait(key, why string) Translation { return Translation{Dead: why, Waits: key} }

// Checked is the translation without the events that could not have come over the wire, of
// which it says which member is wrong: what processors send has no limits of ours.
func (t Translation) Checked() Translation {
	d := event.NewDecoder()
	var good []reward.Event
	for i := range t.Events {
		e := &t.Events[i]
		var read reward.Event
		err := d.Decode(event.Append(nil, e), &read)
		if err == nil && read != *e {
			err = errors.New("it is another when it is read again")
		}
		if err != nil {
			t.Dead = e.Type.String() + ": " + err.Error()
			continue
		}
		good = append(good, *e)
	}
	t.Events = good
	return t
}
