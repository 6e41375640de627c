package console

import (
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/reward"
)

// Whatever the rules say of an event is said in a sentence, and not by its code.
func TestEveryCodeIsSaidInWords(t *testing.T) {
	for code := reward.NoCode + 1; code.String() != "unknown"; code++ {
		if codeWords[code] == "" {
			t.Errorf("no words for %v: expected them among codeWords in history.go", code)
		}
	}
}

// What the ledger answers is said in German wherever a page shows it: every code with every
// outcome, every kind of event, hold and review. None of it is a name of the wire.
func TestEveryAnswerOfTheLedgerIsGerman(t *testing.T) {
	german, english := locale.Choose("de", ""), locale.Match("")
	differs := func(what, said, otherwise string) {
		t.Helper()
		if said == "" || said == otherwise || strings.Contains(said, "_") || strings.Contains(said, "%!") {
			t.Errorf("%s is said %q in German, and %q in English", what, said, otherwise)
		}
	}
	for outcome := reward.Applied; outcome <= reward.Rejected; outcome++ {
		for code := reward.NoCode; code == reward.NoCode || code.String() != "unknown"; code++ {
			r := reward.Result{Outcome: outcome, Code: code}
			if outcome == reward.Applied && code == reward.NoCode {
				continue // nothing is to be said
			}
			differs(outcome.String()+" "+code.String(), resultWords(german, r), resultWords(english, r))
			for _, of := range []reward.Type{reward.RefundLinked, reward.RefundCounted, reward.RefundDismissed, reward.TransactionSettled} {
				differs(outcome.String()+" "+code.String(), refusalWords(german, of, r), refusalWords(english, of, r))
			}
			differs(outcome.String()+" "+code.String(), refusedWords(german, r), refusedWords(english, r))
		}
	}
	for why := reward.HeldForMaturity; why.String() != "unknown"; why++ {
		differs("held for "+why.String(), german.Say(holdReason(why)), english.Say(holdReason(why)))
	}
	for kind := reward.WaitsForTransaction; kind <= reward.LastReview; kind++ {
		differs("a review of "+kind.String(), german.Say(locale.Text(words(kind))), words(kind))
		differs("waiting for "+kind.String(), german.Say(waiting(kind)), english.Say(waiting(kind)))
	}
	for of := reward.Type(1); of.String() != "unknown"; of++ {
		if of != reward.ProgramPublished { // is in no account's history
			differs(of.String(), german.Say(eventWords[of]), english.Say(eventWords[of]))
		}
	}
}
