package program

import "strings"

// currencyCodes are the codes of ISO 4217 list one with a minor unit, as of 31
// December 2025 (amendments up to 179; BGN goes with the end of that day), by
// the number of decimals. Metals, testing codes and units of account without a
// minor unit (XAU, XTS, XDR and the like) are left out: nothing is bought in
// them.
var currencyCodes = [...]string{
	0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
	2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
		CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP
		GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT
		LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN
		NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP
		SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS
		VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
	3: `BHD IQD JOD KWD LYD OMR TND`,
	4: `CLF UYW`,
}

var currencyDecimals = decimalsByCode()

func decimalsByCode() map[string]int {
	byCode := make(map[string]int)
	for decimals, codes := range currencyCodes {
		for code := range strings.FieldsSeq(codes) {
			byCode[code] = decimals
		}
	}
	return byCode
}

// MinorUnits returns how many decimals amounts in the currency have, 2 for USD,
// and whether the code is one of ISO 4217 in use.
func MinorUnits(currency string) (decimals int, known bool) {
	decimals, known = currencyDecimals[currency]
	return decimals, known
}
