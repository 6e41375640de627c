package yamltree

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Reader reads a value into what it was made for. Its errors are an *Error.
type Reader func(Node) error

// Member says how one member of a mapping is read.
type Member struct {
	name    string
	missing string // what was expected where it is missing; "" where it may be
	read    Reader
}

// Required is a member that must be there; what it should be is for the error.
func Required(name, what string, read Reader) Member { return Member{name, what, read} }

// Optional is a member that may be left out; its reader is not asked then.
func Optional(name string, read Reader) Member { return Member{name, "", read} }

// Mapping reads a mapping of these members and no others, in the order of the
// file.
func (n Node) Mapping(members ...Member) error {
	entries, err := n.Entries()
	if err != nil {
		return err
	}
	given := make(map[string]bool, len(entries))
	for _, e := range entries {
		given[e.Name] = true
		known := slices.IndexFunc(members, func(m Member) bool { return m.name == e.Name })
		if known < 0 {
			names := make([]string, len(members))
			for i, m := range members {
				names[i] = m.name
			}
			return e.Unknown(names)
		}
		if err := members[known].read(e.Node); err != nil {
			return err
		}
	}
	for _, m := range members {
		if m.missing != "" && !given[m.name] {
			return n.Missing(m.name, m.missing)
		}
	}
	return nil
}

// Missing returns an error about a member that must be there.
func (n Node) Missing(member, expected string) error {
	return Node{n.doc, n.member(member), n.yaml}.Fail("missing; expected %s", expected)
}

// Unknown returns an error about a member whose name is none of these.
func (e Entry) Unknown(names []string) error {
	return e.Key.Fail("unknown member; expected one of %s", strings.Join(names, ", "))
}

// Text reads text into dst, see Node.Text.
func Text(dst *string, what string) Reader {
	return func(n Node) (err error) {
		*dst, err = n.Text(what)
		return err
	}
}

var wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// Whole reads a number of units from 0 to most into dst: decimal digits, no
// quotes, so that no other notation of YAML is taken for something else.
func Whole[T int | int64](dst *T, units string, most T) Reader { return Between(dst, units, 0, most) }

// Between reads a number of units from least, which is not negative, to most.
func Between[T int | int64](dst *T, units string, least, most T) Reader {
	return func(n Node) error {
		want := fmt.Sprintf("a whole number of %s from %d to %d", units, least, most)
		text, err := n.Scalar(want)
		if err != nil {
			return err
		}
		value, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n.quoted() || !wholeNumber.MatchString(text) || value < int64(least) || value > int64(most) {
			return n.Expected(want)
		}
		*dst = T(value)
		return nil
	}
}

// quoted reports whether the value is a scalar in quotes or a block of text.
func (n Node) quoted() bool {
	return n.yaml.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// Parsed reads one value into dst as parse makes it of the text, unless it refuses it.
func Parsed[T any](dst *T, what string, parse func(text string) (T, bool)) Reader {
	return func(n Node) error {
		text, err := n.Scalar(what)
		if err != nil {
			return err
		}
		value, ok := parse(text)
		if !ok {
			return n.Expected(what)
		}
		*dst = value
		return nil
	}
}

// Compiled reads text into dst as compile makes it, or fails with the reason why it cannot.
func Compiled[T any](dst *T, what string, compile func(text string) (T, error)) Reader {
	return func(n Node) error {
		text, err := n.Text(what)
		if err != nil {
			return err
		}
		if *dst, err = compile(text); err != nil {
			return n.Fail("%v", err)
		}
		return nil
	}
}

// Each reads the values of a list into dst.
func Each[T any](dst *[]T, read func(*T) Reader) Reader {
	return func(n Node) error {
		items, err := n.List()
		*dst = make([]T, len(items))
		for i, item := range items {
			if err == nil {
				err = read(&(*dst)[i])(item)
			}
		}
		return err
	}
}

// Option is one of the words that a value may be, and what it stands for.
type Option[T any] struct {
	word  string
	value T
}

// Word is an option of Choice.
func Word[T any](word string, value T) Option[T] { return Option[T]{word, value} }

// Choice reads one of the words into dst.
func Choice[T any](dst *T, options ...Option[T]) Reader {
	return func(n Node) error {
		want := anyOf(options)
		word, err := n.Scalar(want)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(options, func(o Option[T]) bool { return o.word == word })
		if i < 0 {
			return n.Expected(want)
		}
		*dst = options[i].value
		return nil
	}
}

// Enum reads one of the words into dst; they stand for the numbers from 0.
func Enum[T ~int | ~uint8](dst *T, words ...string) Reader {
	options := make([]Option[T], len(words))
	for i, word := range words {
		options[i] = Word(word, T(i))
	}
	return Choice(dst, options...)
}

// Either reads one of two words into dst, of which the second stands for true.
func Either(dst *bool, no, yes string) Reader { return Choice(dst, Word(no, false), Word(yes, true)) }

// anyOf lists the words as a sentence does: a, b or c.
func anyOf[T any](options []Option[T]) string {
	var b strings.Builder
	for i, o := range options {
		switch {
		case i > 0 && i == len(options)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(o.word)
	}
	return b.String()
}
