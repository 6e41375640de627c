package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/broker"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/consume"
	"recoup/internal/service/observe"
)

func consumeCommand() *cobra.Command {
	var kafka, nats, keyFile, brokers, group string
	var format *tabular.Format
	o := consume.Options{}
	cmd := &cobra.Command{
		Use:   "consume --kafka HOST:PORT/TOPIC|--nats HOST:PORT/SUBJECT --dead-letters TOPIC --to URL",
		Short: "Hand events from Kafka or NATS JetStream to a running service",
		Long: "Takes messages of a topic of Kafka, or of a subject of JetStream, and hands them to a\n" +
			"service: CloudEvents as POST /v1/events takes them, or with --source the webhooks of a\n" +
			"processor as they are. What was taken is settled with the broker after the service has\n" +
			"answered for it, so nothing is lost whichever process dies, and what comes twice is a\n" +
			"duplicate. What can never be applied goes to the dead letters, with the reason in its\n" +
			"headers. Any number may run with one --group. SIGTERM ends it in good order.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, settings, err := consumed(kafka, nats, o.DeadTopic, brokers)
			if err != nil {
				return err
			}
			if o.Batch < 1 || o.Batch > consume.MaxBatch {
				return fmt.Errorf("--batch: expected from 1 to %d messages, found %d", consume.MaxBatch, o.Batch)
			}
			if keyFile != "" {
				text, err := os.ReadFile(keyFile)
				if err != nil {
					return fmt.Errorf("--key-file: %w", err)
				}
				o.Key = strings.TrimSpace(string(text))
			}
			if o.In, err = broker.NewConsumer(at, settings, group); err != nil {
				return err
			}
			defer o.In.Close()
			if o.Dead, err = broker.NewPublisher(at, settings); err != nil {
				return err
			}
			defer o.Dead.Close()
			o.Log = observe.NewLog(cmd.ErrOrStderr(), slog.LevelInfo)
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
			defer stop()
			counts, err := consume.Run(ctx, o)
			return errors.Join(err, writeCounts(cmd.OutOrStdout(), *format, &counts))
		},
	}
	format = cli.Output(cmd)
	f := cmd.Flags()
	f.StringVar(&kafka, "kafka", "", "HOST:PORT[,HOST:PORT…]/TOPIC: the brokers to begin with, and the topic")
	f.StringVar(&nats, "nats", "", "HOST:PORT[,HOST:PORT…]/SUBJECT: the servers, and the subject, which a stream of JetStream has; wildcards are allowed")
	f.StringVar(&brokers, "brokers", "", "file with the TLS, names and passwords of brokers")
	f.StringVar(&group, "group", "recoup", "the consumer group of Kafka, or the durable consumer of JetStream")
	f.StringVar(&o.DeadTopic, "dead-letters", "", "topic or subject on the same brokers for what can never be applied")
	f.StringVar(&o.Service, "to", "http://127.0.0.1:8080", "address of the service")
	f.StringVar(&keyFile, "key-file", "", "file with the key to send with, of the scope ingest at least; none for a service that is open")
	f.StringVar(&o.Source, "source", "", "the messages are webhooks of this source as they came; with a key they were verified by who put them there, without one the service verifies them by their headers")
	f.IntVar(&o.Batch, "batch", consume.DefaultBatch, "how many messages are taken at once, at most")
	f.BoolVar(&o.UntilIdle, "until-idle", false, "end when there is nothing more for five seconds")
	cli.Require(cmd, "dead-letters")
	cmd.MarkFlagsOneRequired("kafka", "nats")
	cmd.MarkFlagsMutuallyExclusive("kafka", "nats")
	return cmd
}

// consumed reads where messages are, and how to get there.
func consumed(kafka, nats, dead, brokers string) (at broker.Address, s broker.Settings, err error) {
	flag, text := "--kafka", "kafka://"+kafka
	if nats != "" {
		flag, text = "--nats", "nats://"+nats
	}
	if at, err = broker.Parse(text); err != nil {
		return at, s, fmt.Errorf("%s: %w", flag, err)
	}
	known, err := broker.ReadKnown(brokers)
	if err != nil {
		return at, s, fmt.Errorf("--brokers: %w", err)
	}
	s, _ = known.Of(at)
	letters := at
	letters.Topic = dead
	if err := letters.Check(dead); err != nil || !letters.One() {
		return at, s, errors.Join(errors.New("--dead-letters: expected a topic, or a subject without wildcards"), err)
	}
	return at, s, nil
}

// writeCounts writes what became of the messages.
func writeCounts(w io.Writer, format tabular.Format, c *consume.Counts) error {
	return format.Write(w, func(w io.Writer) error { return tabular.WriteJSON(w, c) }, func(w io.Writer) error {
		text := fmt.Sprintf("%d messages", c.Taken)
		for _, outcome := range slices.Sorted(maps.Keys(c.Outcomes)) {
			text += fmt.Sprintf(", %d %s", c.Outcomes[outcome], outcome)
		}
		_, err := fmt.Fprintf(w, "%s, %d to the dead letters\n", text, c.Dead)
		return err
	})
}
