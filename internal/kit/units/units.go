// Package units has flags of numbers with a unit: shares, sizes and parts.
package units

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Permille is a flag of a share in per cent with at most one decimal, in thousandths.
type Permille int

// Set implements pflag.Value.
func (p *Permille) Set(text string) error {
	whole, tenths, decimals := strings.Cut(strings.TrimSuffix(text, "%"), ".")
	if decimals && len(tenths) != 1 {
		return errShare
	}
	n, err := strconv.ParseUint(whole+tenths, 10, 16)
	if err != nil || whole == "" {
		return errShare
	}
	if !decimals {
		n *= 10
	}
	if n > 1000 {
		return errShare
	}
	*p = Permille(n)
	return nil
}

var errShare = errors.New("expected a share from 0% to 100% with at most one decimal, such as 1% or 0.5%")

// Limit is the share as limits have it: zero is their default, below zero none.
func (p *Permille) Limit() int {
	if *p == 0 {
		return -1
	}
	return int(*p)
}

// String implements pflag.Value.
func (p *Permille) String() string {
	if *p%10 == 0 {
		return fmt.Sprintf("%d%%", *p/10)
	}
	return fmt.Sprintf("%d.%d%%", *p/10, *p%10)
}

// Type implements pflag.Value.
func (*Permille) Type() string { return "percent" }

// Bytes is a flag of a number of bytes, with a unit.
type Bytes int64

var byteUnits = []struct {
	name  string
	bytes uint64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

// mostBytes is far above what any machine has.
const mostBytes = 1 << 50

// Set implements pflag.Value.
func (b *Bytes) Set(text string) error {
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
		if err != nil || n == 0 || n > mostBytes/u.bytes {
			return errSize
		}
		*b = Bytes(n * u.bytes)
		return nil
	}
	return errSize
}

var errSize = errors.New("expected a size such as 512MiB or 2GiB")

// String implements pflag.Value.
func (b *Bytes) String() string {
	for _, u := range byteUnits {
		if n := uint64(*b); n%u.bytes == 0 && n >= u.bytes {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return "0B"
}

// Type implements pflag.Value.
func (*Bytes) Type() string { return "size" }

// Part is a flag of one of several parts, counted from one. Both numbers are zero where it
// is not given.
type Part struct{ Part, Of int }

// Set implements pflag.Value.
func (s *Part) Set(text string) error {
	part, of, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(part)
	all, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || n < 1 || n > all {
		return errors.New("expected one of several, such as 1/4")
	}
	*s = Part{n, all}
	return nil
}

// String implements pflag.Value.
func (s *Part) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Part, s.Of)
}

// Type implements pflag.Value.
func (*Part) Type() string { return "part/parts" }
