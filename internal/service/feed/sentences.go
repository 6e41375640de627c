package feed

// sentence is one of those that entries are told by. What stands for %1, %2 and so on is
// of each the same in all languages.
type sentence uint8

const (
	notCharged sentence = iota
	awaitsStatement
	matures         // amount, day
	goesAtStatement // amount, day
	refundAnnounced // amount, day
	refundWaits     // amount
	heldTogether    // amount
	chargeWithdrawn // reward, of how much, of how much in all
	wasDisputed
	cameBack
	cameBackInPart
	othersChanged
	usable
	canceled
	cameBackUnrewarded
	earnsNothing
	setAside // amount, day
	paidOut
	payoutReturned
	payoutReleased
	corrected // amount
	correctedDown
	expired
	expiryUndone
	bonusReached
	bonusLost
	sentences // how many there are
)

var english = Language{
	Tag: "en", point: ".", group: ",", date: "%d %s %d",
	months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	say: map[sentence]string{
		notCharged:         "Your reward comes once the shop has charged you.",
		awaitsStatement:    "Your reward comes with your next statement.",
		matures:            "%1 can be used from %2, unless you return the purchase before.",
		goesAtStatement:    "You returned something: %1 cannot be used, and is settled with your statement on %2.",
		refundAnnounced:    "The shop has announced a refund: %1 cannot be used until it has come, until %2 at most.",
		refundWaits:        "A refund has come that may be of this purchase: %1 cannot be used until that is known.",
		heldTogether:       "%1 of your rewards cannot be used yet: they depend on purchases that you can still return, or on a refund that is on its way.",
		chargeWithdrawn:    "The shop took its charge back, so the reward of %1 was taken back.",
		wasDisputed:        "You disputed this purchase, so %1 of its reward was taken back.",
		cameBack:           "You got all of your money back, so the reward of %1 was taken back.",
		cameBackInPart:     "You got %2 of %3 back, so %1 of the reward was taken back.",
		othersChanged:      "Another purchase or return changed what this purchase earns: it is %1 less.",
		usable:             "You can use this reward.",
		canceled:           "The purchase was canceled, so there is no reward.",
		cameBackUnrewarded: "You got your money back, so there is no reward.",
		earnsNothing:       "This purchase earns no reward.",
		setAside:           "%1 is set aside for a payout until %2.",
		paidOut:            "Paid out to you.",
		payoutReturned:     "The payout came back: you can use the reward again.",
		payoutReleased:     "It was not paid out: you can use the reward again.",
		corrected:          "We corrected your rewards: %1 was added.",
		correctedDown:      "We corrected your rewards: %1 was taken off.",
		expired:            "%1 was not used in time and has expired.",
		expiryUndone:       "%1 that had expired is yours again.",
		bonusReached:       "You reached a bonus: %1 was added.",
		bonusLost:          "After a return you no longer reach a bonus: %1 was taken back.",
	},
}

var german = Language{
	Tag: "de", point: ",", group: ".", trailer: true, date: "%d. %s %d",
	months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	say: map[sentence]string{
		notCharged:         "Deine Prämie kommt, sobald der Händler abgebucht hat.",
		awaitsStatement:    "Deine Prämie kommt mit der nächsten Abrechnung.",
		matures:            "%1 kannst du ab %2 nutzen, wenn du den Einkauf nicht vorher zurückgibst.",
		goesAtStatement:    "Du hast etwas zurückgegeben: %1 sind gesperrt und werden mit der Abrechnung am %2 verrechnet.",
		refundAnnounced:    "Der Händler hat eine Erstattung angekündigt: %1 sind gesperrt, bis sie da ist, höchstens bis %2.",
		refundWaits:        "Eine Erstattung ist da, die zu diesem Einkauf gehören kann: %1 sind gesperrt, bis das geklärt ist.",
		heldTogether:       "%1 deiner Prämien sind noch gesperrt: Sie hängen von Einkäufen ab, die du noch zurückgeben kannst, oder von einer Erstattung, die unterwegs ist.",
		chargeWithdrawn:    "Der Händler hat die Abbuchung zurückgenommen, deshalb wurde die Prämie von %1 zurückgenommen.",
		wasDisputed:        "Du hast diesen Einkauf reklamiert, deshalb wurden %1 der Prämie zurückgenommen.",
		cameBack:           "Du hast dein ganzes Geld zurückbekommen, deshalb wurde die Prämie von %1 zurückgenommen.",
		cameBackInPart:     "Du hast %2 von %3 zurückbekommen, deshalb wurden %1 der Prämie zurückgenommen.",
		othersChanged:      "Durch einen anderen Einkauf oder eine Rückgabe bringt dieser Einkauf %1 weniger.",
		usable:             "Diese Prämie kannst du nutzen.",
		canceled:           "Der Einkauf wurde storniert, deshalb gibt es keine Prämie.",
		cameBackUnrewarded: "Du hast dein Geld zurückbekommen, deshalb gibt es keine Prämie.",
		earnsNothing:       "Für diesen Einkauf gibt es keine Prämie.",
		setAside:           "%1 sind bis %2 für eine Auszahlung vorgemerkt.",
		paidOut:            "An dich ausgezahlt.",
		payoutReturned:     "Die Auszahlung kam zurück: Du kannst die Prämie wieder nutzen.",
		payoutReleased:     "Sie wurde nicht ausgezahlt: Du kannst die Prämie wieder nutzen.",
		corrected:          "Wir haben deine Prämien berichtigt: %1 kamen hinzu.",
		correctedDown:      "Wir haben deine Prämien berichtigt: %1 wurden abgezogen.",
		expired:            "%1 wurden nicht rechtzeitig genutzt und sind verfallen.",
		expiryUndone:       "%1, die verfallen waren, gehören wieder dir.",
		bonusReached:       "Du hast einen Bonus erreicht: %1 kamen hinzu.",
		bonusLost:          "Nach einer Rückgabe erreichst du einen Bonus nicht mehr: %1 wurden zurückgenommen.",
	},
}

var french = Language{
	Tag: "fr", point: ",", group: "\u202f", trailer: true, date: "%d %s %d",
	months: [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	say: map[sentence]string{
		notCharged:         "Votre récompense arrivera dès que le commerçant vous aura débité.",
		awaitsStatement:    "Votre récompense arrivera avec votre prochain relevé.",
		matures:            "Vous pourrez utiliser %1 à partir du %2, sauf si vous retournez l’achat avant.",
		goesAtStatement:    "Vous avez retourné un article : %1 sont bloqués et seront régularisés avec votre relevé du %2.",
		refundAnnounced:    "Le commerçant a annoncé un remboursement : %1 sont bloqués jusqu’à son arrivée, au plus tard jusqu’au %2.",
		refundWaits:        "Un remboursement est arrivé qui concerne peut-être cet achat : %1 sont bloqués le temps de le savoir.",
		heldTogether:       "%1 de vos récompenses ne sont pas encore utilisables : elles dépendent d’achats que vous pouvez encore retourner, ou d’un remboursement en cours.",
		chargeWithdrawn:    "Le commerçant a annulé son débit, la récompense de %1 a donc été reprise.",
		wasDisputed:        "Vous avez contesté cet achat, %1 de sa récompense ont donc été repris.",
		cameBack:           "Vous avez été entièrement remboursé, la récompense de %1 a donc été reprise.",
		cameBackInPart:     "Vous avez été remboursé de %2 sur %3, %1 de la récompense ont donc été repris.",
		othersChanged:      "Un autre achat ou retour a changé ce que rapporte cet achat : %1 de moins.",
		usable:             "Vous pouvez utiliser cette récompense.",
		canceled:           "L’achat a été annulé, il n’y a donc pas de récompense.",
		cameBackUnrewarded: "Vous avez été remboursé, il n’y a donc pas de récompense.",
		earnsNothing:       "Cet achat ne rapporte pas de récompense.",
		setAside:           "%1 sont réservés pour un versement jusqu’au %2.",
		paidOut:            "Versé sur votre compte.",
		payoutReturned:     "Le versement est revenu : vous pouvez de nouveau utiliser la récompense.",
		payoutReleased:     "Le versement n’a pas eu lieu : vous pouvez de nouveau utiliser la récompense.",
		corrected:          "Nous avons corrigé vos récompenses : %1 ont été ajoutés.",
		correctedDown:      "Nous avons corrigé vos récompenses : %1 ont été retirés.",
		expired:            "%1 n’ont pas été utilisés à temps et ont expiré.",
		expiryUndone:       "%1 qui avaient expiré sont de nouveau à vous.",
		bonusReached:       "Vous avez atteint un bonus : %1 ont été ajoutés.",
		bonusLost:          "Après un retour, vous n’atteignez plus un bonus : %1 ont été repris.",
	},
}

var spanish = Language{
	Tag: "es", point: ",", group: ".", trailer: true, date: "%d de %s de %d",
	months: [12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	say: map[sentence]string{
		notCharged:         "Tu recompensa llegará cuando el comercio te haya cobrado.",
		awaitsStatement:    "Tu recompensa llegará con tu próximo extracto.",
		matures:            "Podrás usar %1 a partir del %2, si no devuelves antes la compra.",
		goesAtStatement:    "Has devuelto algo: %1 no se pueden usar y se ajustarán con tu extracto del %2.",
		refundAnnounced:    "El comercio ha anunciado un reembolso: %1 no se pueden usar hasta que llegue, como máximo hasta el %2.",
		refundWaits:        "Ha llegado un reembolso que puede ser de esta compra: %1 no se pueden usar hasta saberlo.",
		heldTogether:       "%1 de tus recompensas aún no se pueden usar: dependen de compras que todavía puedes devolver o de un reembolso en camino.",
		chargeWithdrawn:    "El comercio retiró el cargo, por eso se retiró la recompensa de %1.",
		wasDisputed:        "Reclamaste esta compra, por eso se retiraron %1 de su recompensa.",
		cameBack:           "Te devolvieron todo el dinero, por eso se retiró la recompensa de %1.",
		cameBackInPart:     "Te devolvieron %2 de %3, por eso se retiraron %1 de la recompensa.",
		othersChanged:      "Otra compra o devolución cambió lo que da esta compra: son %1 menos.",
		usable:             "Puedes usar esta recompensa.",
		canceled:           "La compra se canceló, por eso no hay recompensa.",
		cameBackUnrewarded: "Te devolvieron el dinero, por eso no hay recompensa.",
		earnsNothing:       "Esta compra no da recompensa.",
		setAside:           "%1 están reservados para un pago hasta el %2.",
		paidOut:            "Pagado a tu cuenta.",
		payoutReturned:     "El pago volvió: puedes usar la recompensa otra vez.",
		payoutReleased:     "No se pagó: puedes usar la recompensa otra vez.",
		corrected:          "Hemos corregido tus recompensas: se añadieron %1.",
		correctedDown:      "Hemos corregido tus recompensas: se descontaron %1.",
		expired:            "%1 no se usaron a tiempo y han caducado.",
		expiryUndone:       "%1 que habían caducado vuelven a ser tuyos.",
		bonusReached:       "Has alcanzado un bono: se añadieron %1.",
		bonusLost:          "Tras una devolución ya no alcanzas un bono: se retiraron %1.",
	},
}
