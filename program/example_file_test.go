package program_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recoup/program"
)

const house = `id: house
currency: EUR
rules:
  - {id: fuel, match: {mcc: ["5541", "5542"]}, rate: 3%, cap: {reward: 1500, per: cycle}}
  - {id: base, rate: 0.5%}
`

// Load reads the terms from a file.
func ExampleLoad() {
	folder, err := os.MkdirTemp("", "recoup-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "house.yaml")
	if err := os.WriteFile(file, []byte(house), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	p, err := program.Load(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, rule := range p.Rules {
		fmt.Println(rule.ID, rule.Rate, rule.Cap)
	}
	// Output:
	// fuel 3% 1500
	// base 0.5% -1
}

// Notices say what terms bring about that may not be meant.
func ExampleNotices() {
	p, err := program.Parse("house.yaml", []byte("timing: {clawback: statement}\n"+house))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, notice := range program.Notices(p) {
		member, _, _ := strings.Cut(notice, ": ")
		fmt.Println("look at", member)
	}
	// Output:
	// look at redemption.grace_days
}

// Write is the inverse of Parse: the whole terms, with what a file leaves out.
func ExampleWrite() {
	p, err := program.Parse("house.yaml", []byte(house))
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := program.Parse("written.yaml", program.Write(p))
	fmt.Println(err, again.ID, again.Rules[0].Rate, "window", again.Refunds.WindowDays, "days")
	// Output:
	// <nil> house 3% window 400 days
}

func ExampleFormatAmount() {
	fmt.Println(program.FormatAmount(123456, "USD"), program.FormatAmount(-50, "EUR"), program.FormatAmount(2500, "JPY"), program.FormatAmount(7500, "KWD"))
	// Output:
	// $1,234.56 -€0.50 JPY 2,500 KWD 7.500
}

func ExampleParseDecimal() {
	fmt.Println(program.ParseDecimal("1,234.50", "USD"))
	fmt.Println(program.ParseDecimal("2500", "JPY"))
	fmt.Println(program.ParseDecimal("2500.5", "JPY"))
	// Output:
	// 123450 <nil>
	// 2500 <nil>
	// 0 amount "2500.5": expected at most 0 decimals, as JPY has
}
