package foreign

import "slices"

// All returns the designs, each with another name.
func All() []Design {
	return slices.Concat(paperDesigns, vendorDesigns, laterDesigns, newestADesigns, newestBDesigns, latestCDesigns, latestDDesigns, latestEDesigns, latestfDesigns, freshDesigns, finalDesigns, blindDesigns, outsideDesigns, ferryDesigns, harborDesigns, quarryDesigns, millDesigns, canalDesigns, orchardDesigns, garnetDesigns, lagoonDesigns, pebbleDesigns, saffronDesigns, cedarDesigns, mistralDesigns, tundraDesigns, velvetDesigns, birchDesigns, nectarDesigns, opalDesigns, walrusDesigns, amberDesigns, kiteDesigns, juniperDesigns, ploverDesigns, basaltDesigns, indigoDesigns, tulipDesigns, marbleDesigns)
}
