package scenario

import (
	"slices"
	"strconv"
	"strings"

	"recoup/reward"
)

// form is how one kind of move is written.
type form struct {
	kind    Kind
	words   string
	clauses clauses
}

// clauses are what a move's text must or may have besides its first words.
type clauses uint16

const (
	withID clauses = 1 << iota
	withAmount
	mayHaveAmount
	anyAmount // also zero and below
	withPurchase
	mayHavePurchase
	withTerms // merchant, mcc and category, each if known
	withDate  // if it happened before its delivery
	withTruth // what really came back
	withAs    // the name to count it under
	repeats   // the same name may come again with other content
	withLabels
	withItems
	oneLabel // and no more, which is what it sets
)

// delivers tells the moves whose name stands for content, which again repeats.
const delivers = withAmount | mayHaveAmount

// forms has every kind. Where one begins with the words of another, the longer
// one stands first.
var forms = []form{
	{Settle, "settle", withID | withAmount | withTerms | withDate | withLabels | withItems},
	{Refund, "refund", withID | withAmount | mayHavePurchase | withTerms | withDate | withTruth | withLabels | withItems},
	{Chargeback, "chargeback", withID | mayHaveAmount | withPurchase | withDate | withTruth},
	{Redeem, "redeem", withID | withAmount | anyAmount},
	{CloseAccount, "close account", 0},
	{CloseStatement, "close", 0},
	{Authorize, "authorize", withID | withAmount | withTerms | withDate | withLabels | repeats},
	{CancelRefund, "cancel refund", withID},
	{Cancel, "cancel", withID},
	{Withdraw, "withdraw", withID},
	{UndoRefund, "undo refund", withID},
	{UndoChargeback, "undo chargeback", withID},
	{Announce, "announce", withID | withAmount | withPurchase | withDate},
	{Wait, "wait", 0},
	{CountRefund, "count refund", withID | withAs},
	{SetAttribute, "set", withID | withDate | withLabels | oneLabel},
	{WithdrawAttribute, "unset", withID},
	{Itemize, "itemize", withID | withItems},
}

// readMove reads a step's move and the answer expected of it, if there is one.
func (p *parser) readMove(step *Step, words []string) error {
	again := len(words) > 0 && words[0] == "again"
	another := len(words) > 0 && words[0] == "another"
	if again || another {
		words = words[1:]
	}
	f, words, err := p.form(words)
	if err != nil {
		return err
	}
	r := &moveReader{parser: p, step: step, words: words, name: f.words, has: f.clauses}
	step.Move.Kind, step.Move.Another = f.kind, another
	if err := r.id(); err != nil {
		return err
	}
	first, delivered := p.first[fact{f.kind, step.Move.ID}]
	switch {
	case another && f.kind != Refund:
		return p.errorf("another %s: only a refund can be another one of the same name", f.words)
	case another && !delivered:
		return p.errorf("another %s: write it without another, it is the first of that name", r.name)
	case another:
	case again && f.clauses&delivers == 0:
		return p.errorf("again %s: write it without again", f.words)
	case again && !delivered:
		return p.errorf("again %s: it has not been delivered before", r.name)
	case again:
		step.Move = p.s.Steps[first].Move
		step.Move.Again = true
		return r.answer()
	case delivered && f.clauses&delivers != 0 && f.clauses&repeats == 0:
		return p.errorf("%s: delivered on line %d already; \"again %s\" delivers it once more",
			r.name, p.s.Steps[first].Line, r.name)
	}
	p.first[fact{f.kind, step.Move.ID}] = len(p.s.Steps)
	return r.content()
}

// form finds out what kind of move the words begin with.
func (p *parser) form(words []string) (form, []string, error) {
	for _, f := range forms {
		n := strings.Count(f.words, " ") + 1
		if len(words) >= n && strings.Join(words[:n], " ") == f.words {
			return f, words[n:], nil
		}
	}
	known := make([]string, len(forms))
	for i, f := range forms {
		known[i] = f.words
	}
	slices.Sort(known)
	got := "nothing"
	if len(words) > 0 {
		got = strconv.Quote(clip(words[0]))
	}
	return form{}, nil, p.errorf("%s: expected a move: %s", got, strings.Join(known, ", "))
}

// moveReader reads the words behind a move's first ones.
type moveReader struct {
	*parser
	step  *Step
	words []string
	name  string // for errors: the move and its id
	has   clauses
	seen  []string // the clauses there were
	// labels are those of the move or, behind an item, of that item.
	labels map[string]string
}

// next takes the next word; it is empty at the end.
func (r *moveReader) next() string {
	if len(r.words) == 0 {
		return ""
	}
	word := r.words[0]
	r.words = r.words[1:]
	return word
}

// id reads the move's id, if its kind has one.
func (r *moveReader) id() error {
	if r.has&withID == 0 {
		return nil
	}
	id, err := r.word("an id")
	if err != nil {
		return err
	}
	r.step.Move.ID = id
	r.name += " " + id
	return nil
}

// word reads an id or a merchant.
func (r *moveReader) word(what string) (string, error) {
	word := r.next()
	if !isWord(word) {
		return "", r.errorf("%s: expected %s, got %q; it has up to %d letters, digits and -_.:/",
			r.name, what, clip(word), maxWord)
	}
	return word, nil
}

// amount reads an amount in minor units, above zero unless any will do.
func (r *moveReader) amount() (int64, error) {
	amount, err := r.parseAmount(r.next(), r.step.Move.Kind == Redeem)
	if err != nil {
		return 0, r.errorf("%s: %s", r.name, err)
	}
	if amount <= 0 && r.has&anyAmount == 0 {
		return 0, r.errorf("%s: expected an amount above zero", r.name)
	}
	return amount, nil
}

// nextIsAmount tells an amount that may be left out from what follows it.
func (r *moveReader) nextIsAmount() bool {
	return len(r.words) > 0 && isDigit(r.words[0][0])
}

// content reads all that stands behind the id.
func (r *moveReader) content() (err error) {
	m := &r.step.Move
	if r.has&withDate != 0 {
		m.Happened = r.step.At
	}
	if r.has&withAmount != 0 || r.has&mayHaveAmount != 0 && r.nextIsAmount() {
		if m.Amount, err = r.amount(); err != nil {
			return err
		}
	}
	for len(r.words) > 0 && r.words[0] != "->" {
		if err := r.clause(); err != nil {
			return err
		}
	}
	if r.has&withPurchase != 0 && m.Of == "" {
		return r.errorf("%s: expected \"of\" and a purchase", r.name)
	}
	if r.has&withAs != 0 && m.As == "" {
		return r.errorf("%s: expected \"as\" and the name to count it under", r.name)
	}
	r.endLabels()
	if err := r.whole(); err != nil {
		return err
	}
	return r.answer()
}

// keywords are the words that begin a clause, with what a move needs to have
// one. A category has no keyword.
var keywords = map[string]clauses{
	"of": withPurchase | mayHavePurchase, "at": withTerms, "mcc": withTerms, "dated": withDate, "really": withTruth, "as": withAs,
	"item": withItems,
}

// clause reads one of the clauses, which may stand in any order.
func (r *moveReader) clause() error {
	m := &r.step.Move
	keyword := r.next()
	if name, value, isLabel := strings.Cut(keyword, "="); isLabel {
		return r.label(name, value)
	}
	needs, isKeyword := keywords[keyword]
	label := keyword
	if !isKeyword {
		if !isCategory(keyword) {
			return r.errorf("%s: unexpected %q", r.name, clip(keyword))
		}
		needs, label = withTerms, "category"
	}
	ofItem := len(m.Items) > 0 && (keyword == "mcc" || label == "category")
	if r.has&needs == 0 && !ofItem {
		return r.errorf("%s: it has no %q", r.name, label)
	}
	if slices.Contains(r.seen, label) {
		return r.errorf("%s: it has %q twice", r.name, label)
	}
	r.seen = append(r.seen, label)
	var err error
	mcc, category := &m.MCC, &m.Category
	if n := len(m.Items); n > 0 {
		mcc, category = new(string), &m.Items[n-1].Category
	}
	switch keyword {
	case "item":
		return r.item()
	case "of":
		m.Of, err = r.word("a purchase behind \"of\"")
	case "at":
		m.Merchant, err = r.word("a merchant behind \"at\"")
	case "mcc":
		*mcc = r.next()
		code, ok := reward.ParseMCC(*mcc)
		if !ok {
			err = r.errorf("%s: mcc %q: expected four digits", r.name, clip(*mcc))
		}
		if n := len(m.Items); n > 0 {
			m.Items[n-1].MCC = code
		}
	case "as":
		m.As, err = r.word("a name behind \"as\"")
	case "dated":
		m.Happened, r.words, err = r.time(r.words)
		if err == nil && m.Happened.After(r.step.At) {
			err = r.errorf("%s: dated after it is delivered", r.name)
		}
	case "really":
		m.Really, err = r.truth()
	default:
		*category = keyword
	}
	return err
}

// truth reads what a refund truly gave back: one purchase for all of it, or
// several with an amount each.
func (r *moveReader) truth() ([]Part, error) {
	if r.step.Move.Amount == 0 {
		return nil, r.errorf("%s: expected an amount of it before what was really of it", r.name)
	}
	var parts []Part
	for rest, more := r.step.Move.Amount, true; more; {
		part := Part{Amount: rest}
		var err error
		if part.Purchase, err = r.word("a purchase that it was really of"); err != nil {
			return nil, err
		}
		more = len(r.words) > 0 && r.words[0] == "and"
		switch {
		case r.nextIsAmount():
			if part.Amount, err = r.amount(); err != nil {
				return nil, err
			}
			more = len(r.words) > 0 && r.words[0] == "and"
		case more || len(parts) > 0:
			return nil, r.errorf("%s: expected an amount behind %s, one of several purchases", r.name, part.Purchase)
		}
		if part.Amount > rest {
			return nil, r.errorf("%s: more came back really than was refunded", r.name)
		}
		rest -= part.Amount
		parts = append(parts, part)
		if more {
			r.next()
		}
	}
	return parts, nil
}

// answer reads "-> accepted" and the like, and that there is nothing more.
func (r *moveReader) answer() error {
	if len(r.words) > 0 && r.words[0] == "->" {
		r.next()
		answer, known := parseAnswer(r.next())
		if !known || !answer.answers(r.step.Move.Kind) {
			return r.errorf("%s: expected behind \"->\" accepted or denied of a redemption, closed or refused of closing the account", r.name)
		}
		r.step.Expect = append(r.step.Expect, Expectation{Line: r.line, Design: Recoup, Answer: answer})
	}
	if len(r.words) > 0 {
		return r.errorf("%s: unexpected %q", r.name, clip(r.words[0]))
	}
	return nil
}

// isCategory says whether a word is written as categories are: in capitals.
func isCategory(s string) bool {
	if !isWord(s) || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	return s == strings.ToUpper(s)
}
