package console

import (
	"net/http"
	"strings"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// accountPage is an account: what it has, and why.
type accountPage struct {
	durable.AccountView
	Story       *Story
	Course      *course
	Falls       []fall // the latest, newest first
	Unread      bool   // there are postings that were not looked through for falls
	Activity    activity
	Statements  []statementRow
	Terms       *reward.Program  // by which cycles begin; nil: not known
	Lines       []statementLines // of the latest of them
	MoreLines   bool             // of the others the postings were not read
	Reviews     []durable.ReviewView
	MoreReviews bool
	Proposals   []approval.Proposal
	MayAdjust   bool
}

// fall is a posting that lowered the balance.
type fall struct {
	reward.Posting
	Why any // as text has it
}

// statementRow is a statement, and whether it agrees with itself and with the one
// before it.
type statementRow struct {
	durable.StatementView
	Ties bool
}

// The bounds of what an account's page reads.
const (
	shownFalls      = 5
	shownStatements = 24
	shownReviews    = 10 // the queue has the others
)

func (c *Console) accountRoutes() {
	c.page("GET "+Path+"accounts", scope.Read, c.accounts)
	c.page("GET "+Path+"account", scope.Read, c.sitting(c.account))
	c.page("GET "+Path+"transaction", scope.Read, c.sitting(c.transaction))
}

// errNoAccount says that an account is not there.
var errNoAccount = refuse(http.StatusNotFound, "There is no such account", "Its first event makes an account. Search for it above: the beginning of its id is enough.")

// accountAsked returns the account that a query names.
func (c *Console) accountAsked(v *visit, name string) (durable.AccountView, error) {
	account, ok, err := c.ledger.Account(v.ctx(), v.id(name))
	if err == nil && (!ok || account.Account == approval.TermsAccount && v.r.Method == http.MethodPost) { // it has nobody's balance
		err = errNoAccount
	}
	return account, err
}

func (c *Console) account(v *visit) error {
	account, err := c.accountAsked(v, "id")
	if err != nil {
		return err
	}
	body := accountPage{AccountView: account, MayAdjust: v.may(scope.Operate)}
	for i := range c.stories {
		if c.stories[i].Account == account.Account {
			body.Story = &c.stories[i]
		}
	}
	if body.Activity, err = c.activityOf(v, &account); err != nil {
		return err
	}
	past, err := c.pastOf(v, &account)
	if err != nil {
		return err
	}
	body.Falls, body.Unread, body.Course = v.falls(past, &account), past.more, v.courseOf(&account, past)
	statements, err := c.ledger.Statements(v.ctx(), account.Account, 0, shownStatements+1)
	if err != nil {
		return err
	}
	body.Statements = statementRows(statements, account.Expiring != nil)
	body.Terms = past.terms
	body.Lines = linesOf(body.Statements, past)
	body.MoreLines = len(body.Lines) < len(body.Statements)
	if body.Reviews, _, body.MoreReviews, err = c.ledger.Reviews(v.ctx(), durable.ReviewFilter{Account: account.Account}, durable.ReviewPlace{}, shownReviews); err != nil {
		return err
	}
	if body.Proposals, err = c.proposals.OfAccount(v.ctx(), account.Account); err != nil {
		return err
	}
	return v.show("account", "accounts", v.locale.Sprintf("Account %s", tabular.Visible(account.Account)), body)
}

// statementRows are statements as they are shown, of a list that has one more than
// is shown if there are more: each must open with what the one before it closed
// with, and the first of all with nothing. What expired is what a statement that was
// kept leaves over, which must be nothing where rewards do not expire.
func statementRows(list []durable.StatementView, expires bool) (rows []statementRow) {
	for i := range min(len(list), shownStatements) {
		before := int64(0)
		if i+1 < len(list) {
			before = list[i+1].Closing
		}
		rows = append(rows, statementRow{list[i], list[i].Ties() && list[i].Opening == before && (expires || list[i].Expired == 0)})
	}
	return rows
}

// falls are the latest postings that lowered the balance: the first that somebody
// asks about.
func (v *visit) falls(past *past, account *durable.AccountView) (list []fall) {
	told := v.telling(account)
	for i := range past.entries {
		if p := &past.entries[i]; p.Amount < 0 && len(list) < shownFalls {
			told.Cause = p.Cause
			list = append(list, fall{p.Posting, explained(v.locale, &p.Posting, told)})
		}
	}
	return list
}

// telling is what an account's postings are explained with.
func (v *visit) telling(account *durable.AccountView) reward.Telling {
	terms, _ := v.console.programs.Get(account.Program)
	return v.told(reward.Telling{Spend: v.money(account.Currency), Reward: v.money(account.Reward.Name), Terms: terms})
}

// money writes amounts of a currency for explanations. They are shown with what they
// hide, as they have ids, so their spaces are the plain ones.
func (v *visit) money(currency string) func(int64) string {
	plain := strings.NewReplacer("\u00a0", " ", "\u202f", " ")
	return func(minor int64) string { return plain.Replace(v.locale.Amount(minor, currency)) }
}
