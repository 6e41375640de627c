package program_test

import (
	"fmt"

	"recoup/program"
)

func ExampleParse() {
	_, err := program.Parse("program.yaml", []byte(`
id: everyday
currency: USD
rules:
  - id: grocery
    match: {category: [GROCERY]}
    rate: 5%
    cap: {reward: $50, per: cycle}
`))
	fmt.Println(err)
	// Output: program.yaml:8: rules[0].cap.reward: expected a whole number of minor units from 0 to 1000000000000000, not "$50"
}

func ExampleEveryday() {
	p := program.Everyday()
	for _, rule := range p.Rules {
		fmt.Println(rule.ID, rule.Rate)
	}
	fmt.Println("at most", program.FormatAmount(p.Rules[0].Cap, p.Currency), "a month")
	// Output:
	// grocery 5%
	// base 1%
	// at most $50.00 a month
}
