package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// permille is a flag of a share in per cent with at most one decimal.
type permille int

// Set implements pflag.Value.
func (p *permille) Set(text string) error {
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
	*p = permille(n)
	return nil
}

var errShare = errors.New("expected a share from 0% to 100% with at most one decimal, such as 1% or 0.5%")

// limit is the share as limits have it: zero is their default, below zero none.
func (p *permille) limit() int {
	if *p == 0 {
		return -1
	}
	return int(*p)
}

// String implements pflag.Value.
func (p *permille) String() string {
	if *p%10 == 0 {
		return fmt.Sprintf("%d%%", *p/10)
	}
	return fmt.Sprintf("%d.%d%%", *p/10, *p%10)
}

// Type implements pflag.Value.
func (*permille) Type() string { return "percent" }

// byteSize is a flag of a number of bytes, with a unit.
type byteSize int64

var byteUnits = []struct {
	name  string
	bytes uint64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

// mostBytes is far above what any machine has.
const mostBytes = 1 << 50

// Set implements pflag.Value.
func (b *byteSize) Set(text string) error {
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
		if err != nil || n == 0 || n > mostBytes/u.bytes {
			return errSize
		}
		*b = byteSize(n * u.bytes)
		return nil
	}
	return errSize
}

var errSize = errors.New("expected a size such as 512MiB or 2GiB")

// String implements pflag.Value.
func (b *byteSize) String() string {
	for _, u := range byteUnits {
		if n := uint64(*b); n%u.bytes == 0 && n >= u.bytes {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return "0B"
}

// Type implements pflag.Value.
func (*byteSize) Type() string { return "size" }

// shard is a flag of one of several parts, counted from one. Both numbers are zero
// where it is not given.
type shard struct{ part, of int }

// Set implements pflag.Value.
func (s *shard) Set(text string) error {
	part, of, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(part)
	all, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || n < 1 || n > all {
		return errors.New("expected one of several, such as 1/4")
	}
	*s = shard{n, all}
	return nil
}

// String implements pflag.Value.
func (s *shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.part, s.of)
}

// Type implements pflag.Value.
func (*shard) Type() string { return "part/parts" }
