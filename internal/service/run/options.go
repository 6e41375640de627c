package run

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"recoup/internal/console/risk"
	"recoup/internal/service/feed"
	"recoup/internal/service/verify/keep"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
)

// Options are what a service is asked for. Errors name them as the flags of recoup serve.
type Options struct {
	Listen        string   // address to answer on
	MetricsListen string   // address for who watches it; "": none
	MetricsHosts  []string // names that address is asked under
	Insecure      bool     // answer without TLS on any address
	TLSCert       string   // file of a certificate; "": no TLS
	TLSKey        string   // file of its private key

	Database      *open.Database
	DatabaseNamed bool          // rather than left to be the usual one
	Wait          time.Duration // for a database server that is not up yet
	Programs      []string      // program files to put into the database
	Secrets       *string       // file of the keys that secrets are sealed with; "": as the environment has
	Dev           bool          // everybody is let in
	Demo          bool          // begin with sample data

	Sources string        // file of the processors whose webhooks are taken; "": none
	KeepRaw time.Duration // how long these webhooks are kept as they came

	FeedKeys    string   // file of the keys that tokens for feeds are signed with; "": there are no tokens
	FeedOrigins []string // sites whose pages may show feeds

	MaxAhead     time.Duration // how far ahead of its receipt an event may be dated
	AcceptClock  bool          // believe the clock whatever it says
	CloseAfter   time.Duration // how long after a cycle's end to close it
	MaxBatch     int           // events in a commit
	CommitTarget time.Duration // how long a commit should take
	Workers      int           // commits at the same time
	MinRate      int64         // bytes a second at which bodies must arrive
	Grace        time.Duration // that requests may still take in the end

	WebhookAllowPrivate bool   // deliver to private addresses and over plain HTTP
	Brokers             string // file of the brokers that notices may go to; "": none
	Checkpoints         keep.Keeper
	CheckpointKey       string // file
	CheckpointEvery     time.Duration
	Console             ConsoleOptions
	Risk                risk.Options
	VelocityTimes       int // from how many quick returns on webhooks are told

	TraceTo     string  // where OpenTelemetry traces go; "": nowhere
	TracedShare float64 // of requests, from 0 to 1
	LogLevel    string  // debug, info, warn or error
	LogRequests bool    // all, not just failed and slow ones
	Version     string  // of this program
}

// mostDays bounds how long purchases are said to come back, and how quick is quick.
const mostDays = 1_000

// check refuses what makes no sense, and returns what is logged.
func (o *Options) check() (level slog.Level, err error) {
	for name, days := range map[string]int{"--return-days": o.Risk.ReturnDays, "--velocity-days": o.Risk.QuickDays, "--velocity-times": o.VelocityTimes} {
		if days < 0 || days > mostDays {
			return level, fmt.Errorf("%s: expected a number from 0 to %d, found %d", name, mostDays, days)
		}
	}
	if err := level.UnmarshalText([]byte(o.LogLevel)); err != nil {
		return level, fmt.Errorf("--log-level: expected debug, info, warn or error, found %q", o.LogLevel)
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return level, errors.New("--tls-cert and --tls-key: expected both or none")
	}
	if most := durable.ProgramNotice - durable.HomeGrace; o.MaxAhead <= 0 || o.MaxAhead >= most {
		return level, fmt.Errorf("--max-ahead: expected more than 0 and less than %v, after which new versions of programs may be in force that are not known yet; found %v", most, o.MaxAhead)
	}
	if o.KeepRaw < 24*time.Hour {
		return level, fmt.Errorf("--keep-raw: expected 24h or more, for as long as a processor may send a webhook again; found %v", o.KeepRaw)
	}
	if o.CloseAfter < 0 {
		return level, fmt.Errorf("--close-after: expected 0 or more, found %v", o.CloseAfter)
	}
	if o.Wait < 0 {
		return level, fmt.Errorf("--wait: expected 0 or more, found %v", o.Wait)
	}
	if o.CommitTarget <= 0 {
		return level, fmt.Errorf("--commit-target: expected more than 0, such as 5ms, found %v", o.CommitTarget)
	}
	if len(o.FeedOrigins) > 0 && (o.FeedKeys == "" || o.Dev) {
		return level, errors.New("--feed-origin: pages of other sites read feeds with tokens alone: expected --feed-keys, and not --dev, which lets everybody in")
	}
	for _, origin := range o.FeedOrigins {
		if err := feed.CheckOrigin(origin); err != nil {
			return level, fmt.Errorf("--feed-origin: %w", err)
		}
	}
	if err := o.openCheckpoints(); err != nil {
		return level, err
	}
	if o.MinRate <= 0 {
		return level, fmt.Errorf("--min-rate: expected more than 0 bytes a second, found %d", o.MinRate)
	}
	return level, nil
}

// openCheckpoints makes sure that checkpoints can be kept, if they are to be.
func (o *Options) openCheckpoints() error {
	switch {
	case o.Checkpoints.To == "" && (o.CheckpointKey != "" || o.Checkpoints.SecretFile != ""):
		return errors.New("--checkpoint-key-file and --checkpoint-secret-file: are of use with --checkpoint-to only")
	case o.Checkpoints.To == "":
		return nil
	case o.CheckpointKey == "":
		return errors.New("--checkpoint-to: expected a key that signs checkpoints, with --checkpoint-key-file")
	case o.CheckpointEvery < time.Second:
		return fmt.Errorf("--checkpoint-every: expected 1s or more, found %v", o.CheckpointEvery)
	}
	o.Checkpoints.AllowPrivate = o.WebhookAllowPrivate
	if err := o.Checkpoints.Open(o.CheckpointKey); err != nil {
		return fmt.Errorf("--checkpoint-to %s: %w", o.Checkpoints.Place(), err)
	}
	return nil
}
