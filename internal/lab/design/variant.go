package design

import (
	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/reward"
)

// Variant is a design that was made up to have one flaw more than one of the
// paper's, and what that is.
type Variant struct {
	Design
	Truth
}

// Variants returns issuers that the paper did not meet. But for the flaw in its
// title, each is issuer C, or issuer D where the title says statement close, and
// so has the flaws of these too. They are no part of Others, and in none of the
// paper's tables.
//
// Some flaws take traffic that has what they are about: redeliveries, refunds
// above the price, refunds that overtake their purchase, chargebacks, refunds that
// name no purchase, debts that nobody repays.
func Variants() []Variant {
	return []Variant{
		variant("Compounding", "as C; parts of a refund take their share of the reward that is left",
			compounding{}, flaw.Other, flaw.Compounding),
		variant("Current rate", "as C, at twice the rate in odd months; clawback at the rate of the refund's month",
			currentRate{}, flaw.Other, flaw.CurrentRate, flaw.OverClawed),
		variant("Bonus kept", "as C, in two postings, 1 % and what exceeds it; clawback of the 1 % alone",
			bonusKept{}, flaw.Other, flaw.BonusKept),
		variant("Cap room lost", "as C; a refund gives the cap no room back",
			capRoomLost{}, flaw.Robust, flaw.G11),
		variant("Over-refunds ignored", "as C; a refund above what is left of its purchase is rejected, whole",
			overRefundsIgnored{}, flaw.Robust, flaw.G2),
		variant("Early refunds dropped", "as C; a refund or chargeback that overtakes its purchase is forgotten",
			earlyDropped{}, flaw.Robust, flaw.G3),
		variant("Double grant", "as C; a purchase that is delivered again is rewarded again",
			doubleGrant{}, flaw.Robust, flaw.G4),
		variant("Double clawback", "as C; a refund or chargeback that is delivered again takes again",
			doubleClawback{}, flaw.Robust, flaw.G5),
		variant("Chargebacks ignored", "as C; chargebacks take nothing",
			chargebacksIgnored{}, flaw.Robust, flaw.G9),
		variant("Unlinked ignored", "as C; refunds that name no purchase take nothing",
			unlinkedIgnored{}, flaw.Robust, flaw.UnlinkedIgnored),
		variant("Parts ignored", "as C; refunds and chargebacks of less than the whole purchase take nothing",
			partsIgnored{}, flaw.Other, flaw.PartsIgnored),
		variant("Debt written off", "as C; a debt of 90 days is forgotten at the next statement close",
			writtenOff{}, flaw.V3a),
		statementVariant("Late clawback", "as D; clawback at the second statement close after the refund",
			lateClawback{}, flaw.Other, flaw.LateClawback),
		variant("Fourteen days", "as C; refunds later than 14 days after the purchase take nothing",
			fourteenDays{}, flaw.V2),
	}
}

func variant(name, title string, p policy, class flaw.Class, own ...flaw.Code) Variant {
	return Variant{
		Design{Name: name, Title: title, Source: "Variant of C", New: plainly(func(program *reward.Program) issuer.Issuer { return newBank(program, p) })},
		truth(class, own, bankFlaws),
	}
}

func statementVariant(name, title string, p policy, class flaw.Class, own ...flaw.Code) Variant {
	v := variant(name, title, p, class, append(own, flaw.G10)...)
	v.Source = "Variant of D"
	return v
}
