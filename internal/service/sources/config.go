package sources

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"recoup/internal/kit/yamltree"
	"recoup/source"
	"recoup/source/adyen"
	"recoup/source/fidel"
	"recoup/source/lithic"
	"recoup/source/marqeta"
	"recoup/source/stripe"
)

// kinds are the processors whose webhooks can be read.
var kinds = []*source.Kind{&stripe.Kind, &lithic.Kind, &marqeta.Kind, &adyen.Kind, &fidel.Kind}

// Source is one processor that sends webhooks, as the file of sources has it.
type Source struct {
	source.Settings
	Kind   *source.Kind
	secret string
}

// maxSources is how many a file may have.
const maxSources = 100

// nameForm is what a source may be called: it begins ids and is a part of a path.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

var form = yamltree.Form{Name: "file of sources"}

// ReadFile reads a file of sources, and the secrets that it refers to. Errors name file,
// line and member.
func ReadFile(name string) ([]Source, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	top, err := form.Parse(name, data)
	if err != nil {
		return nil, err
	}
	var list []Source
	err = top.Mapping(yamltree.Required("sources", "the list of sources", func(n yamltree.Node) error {
		nodes, err := n.ListOf("sources", maxSources)
		for _, node := range nodes {
			s, err := read(node)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(list, func(x Source) bool { return x.Name == s.Name }) {
				return node.Fail("expected a name of its own, found a second %s", s.Name)
			}
			list = append(list, s)
		}
		return err
	}))
	return list, err
}

// read reads one source.
func read(n yamltree.Node) (s Source, err error) {
	var field yamltree.Node
	err = n.Mapping(
		yamltree.Required("name", "what its events' source is, such as stripe", func(n yamltree.Node) (err error) {
			const what = "lower-case letters, digits and hyphens, beginning with a letter, at most 32"
			if s.Name, err = n.Text(what); err == nil && !nameForm.MatchString(s.Name) {
				err = n.Expected(what)
			}
			return err
		}),
		yamltree.Required("kind", "the processor", func(n yamltree.Node) error {
			var names []string
			for _, k := range kinds {
				names = append(names, k.Name)
			}
			what := "the processor: one of " + strings.Join(names, ", ")
			text, err := n.Text(what)
			if err != nil {
				return err
			}
			at := slices.Index(names, text)
			if at < 0 {
				return n.Expected(what)
			}
			s.Kind = kinds[at]
			return nil
		}),
		yamltree.Required("secret", "where the secret is: env or file", func(n yamltree.Node) (err error) {
			s.secret, err = n.Secret()
			return err
		}),
		yamltree.Optional("account", func(n yamltree.Node) (err error) {
			field = n
			s.Account, err = n.Text("the field that is the account")
			return err
		}),
	)
	if err != nil {
		return s, err
	}
	what := "one of " + strings.Join(s.Kind.Accounts, ", ")
	if s.Kind.AccountPrefix != "" {
		what += ", or " + s.Kind.AccountPrefix + "NAME"
	}
	switch {
	case s.Account == "":
		s.Account = s.Kind.Accounts[0]
	case !s.Kind.IsAccount(s.Account):
		return s, field.Expected(what)
	}
	if err := s.Kind.Secret(s.secret); err != nil {
		return s, n.Fail("secret: %v", err)
	}
	return s, nil
}
