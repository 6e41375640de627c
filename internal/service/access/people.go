package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"recoup/internal/store/record"
	"recoup/reward"
)

// Human is somebody who uses the service, by whichever key or provider.
type Human struct {
	ID         string
	Name       string   // as Normal has it, and nobody else's
	Principals []string // ids of keys, and those of a provider's people, see Subject
	Created    reward.Instant
}

// What may be wrong with people.
var (
	ErrUnknownPerson = errors.New("there is no such person")
	ErrNameTaken     = errors.New("somebody else has that name")
	ErrLinked        = errors.New("that key or subject is somebody else's")
)

// The tables: people by id, and what leads to them.
const (
	people      record.Table[personRow] = "people"
	peopleNamed record.Table[string]    = "people_names" // by folded name
	peopleOf    record.Table[string]    = "people_of"    // by principal
)

// maxPeople is how many people there may be.
const maxPeople = 10_000

type personRow struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Principals []string `json:"principals,omitzero"`
	Created    int64    `json:"created_at"`
}

func (r *personRow) human() Human {
	return Human{ID: r.ID, Name: r.Name, Principals: r.Principals, Created: reward.Instant(r.Created)}
}

// People are who is who in a database. It is safe for concurrent use.
type People struct {
	records record.Store
	now     func() time.Time
}

// NewPeople returns the people of a database.
func NewPeople(records record.Store, now func() time.Time) *People {
	return &People{records: records, now: now}
}

// checkName refuses a name that nobody could tell apart, and returns it as it is kept.
func checkName(name string) (string, error) {
	normal := Normal(name)
	switch {
	case normal == "":
		return "", errors.New("expected a name that can be seen, so that people know later whose it is")
	case len(name) > MaxName || len(normal) > MaxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", fmt.Errorf("name: expected at most %d bytes of plain text on one line", MaxName)
	}
	return normal, nil
}

// Named returns the person of a name, who is made if there is none.
func (p *People) Named(ctx context.Context, name string) (Human, error) {
	return p.add(ctx, name, true)
}

// Add makes a person. The error is ErrNameTaken if there is one of the name.
func (p *People) Add(ctx context.Context, name string) (Human, error) { return p.add(ctx, name, false) }

func (p *People) add(ctx context.Context, name string, known bool) (h Human, err error) {
	name, err = checkName(name)
	if err != nil {
		return h, err
	}
	err = p.records.Change(ctx, func(tx record.Tx) error {
		id, there, err := peopleNamed.Get(ctx, tx, Fold(name))
		switch {
		case err != nil:
			return err
		case there && !known:
			return fmt.Errorf("%q: %w", name, ErrNameTaken)
		case there:
			row, err := personWith(ctx, tx, id)
			h = row.human()
			return err
		}
		n, err := people.Count(ctx, tx, record.Span{})
		if err != nil {
			return err
		}
		if n >= maxPeople {
			return fmt.Errorf("there are %d people already, as many as there may be", n)
		}
		row := personRow{ID: "p" + strings.ToLower(rand.Text()[:idLength]), Name: name, Created: int64(reward.At(p.now()))}
		h = row.human()
		if err := peopleNamed.Put(tx, Fold(name), &row.ID); err != nil {
			return err
		}
		return people.Put(tx, row.ID, &row)
	})
	if err != nil {
		return Human{}, fmt.Errorf("making a person: %w", err)
	}
	return h, nil
}

// personWith reads the person with an id.
func personWith(ctx context.Context, r record.Reader, id string) (personRow, error) {
	row, ok, err := people.Get(ctx, r, id)
	if err == nil && !ok {
		err = fmt.Errorf("%q: %w", id, ErrUnknownPerson)
	}
	return row, err
}

// Link says that a principal is a person's: the id of a key, or "oidc:" with the address of
// a provider, "#" and the subject that it knows somebody by.
func (p *People) Link(ctx context.Context, id, principal string) (h Human, err error) {
	if principal == "" || len(principal) > 512 || !utf8.ValidString(principal) || strings.ContainsFunc(principal, unicode.IsControl) {
		return h, errors.New(`expected the id of a key, or oidc:ISSUER#SUBJECT`)
	}
	if principal, err = principalNamed(principal); err != nil {
		return h, fmt.Errorf("linking: %w", err)
	}
	err = p.records.Change(ctx, func(tx record.Tx) error {
		row, err := personWith(ctx, tx, id)
		if err != nil {
			return err
		}
		of, linked, err := peopleOf.Get(ctx, tx, principal)
		switch {
		case err != nil:
			return err
		case linked && of != id:
			return fmt.Errorf("%q: %w: %s; unlink it first", principal, ErrLinked, of)
		case !linked:
			row.Principals = append(row.Principals, principal)
		}
		h = row.human()
		if err := peopleOf.Put(tx, principal, &id); err != nil {
			return err
		}
		return people.Put(tx, id, &row)
	})
	if err != nil {
		return Human{}, fmt.Errorf("linking: %w", err)
	}
	return h, nil
}

// Unlink says that a principal is a person's no more.
func (p *People) Unlink(ctx context.Context, principal string) (h Human, err error) {
	if principal, err = principalNamed(principal); err != nil {
		return h, fmt.Errorf("unlinking: %w", err)
	}
	err = p.records.Change(ctx, func(tx record.Tx) error {
		id, linked, err := peopleOf.Get(ctx, tx, principal)
		switch {
		case err != nil:
			return err
		case !linked:
			return fmt.Errorf("%q: it is nobody's", principal)
		}
		row, err := personWith(ctx, tx, id)
		if err != nil {
			return err
		}
		row.Principals = slices.DeleteFunc(row.Principals, func(s string) bool { return s == principal })
		h = row.human()
		peopleOf.Delete(tx, principal)
		return people.Put(tx, id, &row)
	})
	if err != nil {
		return Human{}, fmt.Errorf("unlinking: %w", err)
	}
	return h, nil
}

// List returns all people, by name.
func (p *People) List(ctx context.Context) (list []Human, err error) {
	err = p.records.Read(ctx, func(r record.Reader) error {
		list = nil
		return people.Each(ctx, r, record.Span{}, func(_ string, row *personRow) (bool, error) {
			list = append(list, row.human())
			return true, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the people: %w", err)
	}
	slices.SortFunc(list, func(a, b Human) int { return cmp.Or(cmp.Compare(Fold(a.Name), Fold(b.Name)), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// FromProvider is what the principal of somebody begins with whom a provider of identities
// vouches for; see Subject.
const FromProvider = "oidc:"

// Subject is the principal of whom a provider knows by a subject: subjects are each
// provider's own, so a hash of its address is part of it, as short as fits the log.
func Subject(issuer, subject string) string { return Issued(issuer) + subject }

// Issued is what the principals of a provider's people begin with.
func Issued(issuer string) string {
	hash := sha256.Sum256([]byte(issuer))
	return FromProvider + hex.EncodeToString(hash[:8]) + "#"
}

var issued = regexp.MustCompile("^" + FromProvider + "[0-9a-f]{16}#.")

// principalNamed reads a principal as people write it, with the address of a provider where
// Subject has its hash.
func principalNamed(text string) (string, error) {
	of, is := strings.CutPrefix(text, FromProvider)
	issuer, subject, whole := strings.Cut(of, "#")
	switch {
	case !is || issued.MatchString(text):
		return text, nil
	case !whole || subject == "" || !strings.Contains(issuer, "://"):
		return "", fmt.Errorf("%q: expected oidc:ISSUER#SUBJECT, with the address of the provider as --oidc-issuer has it, or as recoup sessions list shows it", text)
	}
	return Subject(issuer, subject), nil
}

// Who returns what tells people apart: the same for two principals that are one person's,
// since both are linked to them, or since their names are the same to who reads them. A
// provider's people may choose what they are called, so they are nobody's by their name:
// one whom nobody linked is who their subject says.
func (p *People) Who(ctx context.Context, principal, name string) (who string, err error) {
	err = p.records.Read(ctx, func(r record.Reader) (err error) {
		who, err = WhoIn(ctx, r, principal, name)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("looking for who %q is: %w", principal, err)
	}
	return who, nil
}

// WhoIn is People.Who as a reader finds it.
func WhoIn(ctx context.Context, r record.Reader, principal, name string) (who string, err error) {
	id, there, err := peopleOf.Get(ctx, r, principal)
	if err != nil || there {
		return id, err
	}
	if !strings.HasPrefix(principal, FromProvider) {
		if id, there, err = peopleNamed.Get(ctx, r, Fold(name)); err != nil || there {
			return id, err
		}
	}
	return Unlinked(principal, name), nil
}

// Unlinked is who somebody is whom nobody knows: who their provider's subject says, or whose
// name they have.
func Unlinked(principal, name string) string {
	if strings.HasPrefix(principal, FromProvider) {
		return principal
	}
	return "name:" + Fold(name)
}

// Actor is who did something: a principal, and what it was called then.
type Actor struct{ ID, Name string }

// Alike reports whether two actors are one person by what they say of themselves: they are
// one principal, or are called the same. What a provider's people are called makes them
// nobody, and nobody them.
func Alike(x, y Actor) bool {
	return x.ID == y.ID || !strings.HasPrefix(x.ID, FromProvider) && !strings.HasPrefix(y.ID, FromProvider) && Fold(x.Name) == Fold(y.Name)
}

// One reports whether two actors are one person: they are Alike, or it is known of them.
func (p *People) One(ctx context.Context, x, y Actor) (one bool, err error) {
	err = p.records.Read(ctx, func(r record.Reader) (err error) {
		one, err = OneIn(ctx, r, x, y)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("looking whether %q and %q are one person: %w", x.ID, y.ID, err)
	}
	return one, nil
}

// OneIn is People.One as a reader finds it.
func OneIn(ctx context.Context, r record.Reader, x, y Actor) (bool, error) {
	if Alike(x, y) {
		return true, nil
	}
	who, err := WhoIn(ctx, r, x.ID, x.Name)
	if err != nil {
		return false, err
	}
	other, err := WhoIn(ctx, r, y.ID, y.Name)
	return who == other, err
}

// Unnamed reports whether a principal is nobody in particular: whoever uses a service that is
// open, or the service itself.
func Unnamed(principal string) bool {
	return principal == "dev" || principal == "system" || strings.HasPrefix(principal, "as:")
}

// linkedNames are the names of people by their principals. A row that is damaged links
// nothing, and shuts nobody out.
func linkedNames(ctx context.Context, r record.Reader) (map[string]string, error) {
	names := make(map[string]string)
	err := r.Scan(ctx, string(people), record.Span{}, func(_ string, value []byte) (bool, error) {
		var row personRow
		if json.Unmarshal(value, &row) == nil {
			for _, principal := range row.Principals {
				names[principal] = row.Name
			}
		}
		return true, nil
	})
	return names, err
}

// NameOf returns the name of the person whose a principal is; ok is false if nobody said
// whose it is.
func (p *People) NameOf(ctx context.Context, principal string) (name string, ok bool, err error) {
	err = p.records.Read(ctx, func(r record.Reader) (err error) {
		name, ok, err = nameOf(ctx, r, principal)
		return err
	})
	if err != nil {
		return "", false, fmt.Errorf("looking for who %q is: %w", principal, err)
	}
	return name, ok, nil
}

func nameOf(ctx context.Context, r record.Reader, principal string) (name string, ok bool, err error) {
	id, ok, err := peopleOf.Get(ctx, r, principal)
	if err != nil || !ok {
		return "", false, err
	}
	row, ok, err := people.Get(ctx, r, id)
	return row.Name, ok, err
}
