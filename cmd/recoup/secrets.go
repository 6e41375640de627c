package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/security"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/seal"
)

// secretsVariable is the environment variable that may have the secrets keys themselves.
const secretsVariable = "RECOUP_SECRETS_KEY"

// secretsFlag names the file of the keys that secrets are sealed with.
type secretsFlag struct{ file string }

func (s *secretsFlag) flags(f *pflag.FlagSet) {
	f.StringVar(&s.file, "secrets-key", "", "file with the keys that secrets in the database are sealed with, the newest first, as recoup secrets new makes it; by default what the environment has as "+secretsVariable)
}

// maxKeyFile is far more than a file of keys has.
const maxKeyFile = 64 << 10

// keys reads the keys; nil: there are none.
func (s *secretsFlag) keys() (*seal.Keys, error) {
	text, from := os.Getenv(secretsVariable), secretsVariable
	if s.file != "" {
		f, err := os.Open(s.file)
		if err != nil {
			return nil, fmt.Errorf("--secrets-key: %w", err)
		}
		defer f.Close()
		read, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
		if err != nil {
			return nil, fmt.Errorf("--secrets-key: %w", err)
		}
		text, from = string(read), "--secrets-key "+s.file
	}
	if text == "" && s.file == "" {
		return nil, nil
	}
	keys, err := seal.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return keys, nil
}

// mustHave is keys where there must be some.
func (s *secretsFlag) mustHave() (*seal.Keys, error) {
	keys, err := s.keys()
	if err == nil && keys == nil {
		err = fmt.Errorf("expected --secrets-key or %s: recoup secrets new makes a file of keys", secretsVariable)
	}
	return keys, err
}

// warn tells the log of a service what it keeps unsealed, and who can read its keys.
func (s *secretsFlag) warn(log *slog.Logger, keys *seal.Keys) {
	if keys == nil {
		log.Warn("no secrets key: secrets of webhook endpoints lie in the database as they are, and events with what looks like a card number are masked for good; recoup secrets new makes a key, --secrets-key names it")
	}
	if info, err := os.Stat(s.file); s.file != "" && err == nil && info.Mode().Perm()&0o077 != 0 {
		log.Warn("others than the owner can read the secrets keys: give the file the mode 0600", "file", s.file, "mode", info.Mode().Perm().String())
	}
}

func secretsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secrets",
		Short: "Seal secrets in a database with a key that is kept apart from it",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newSecretsNew(), newSecretsList(), newSecretsRotate())
	return cmd
}

func newSecretsNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new FILE",
		Short: "Put a new key before those of a file, which is made if it is not there",
		Long: "From the next start on the new key seals, and the others still open. recoup secrets\n" +
			"rotate seals under it what is there; after that the others can go from the file.",
		Args: oneArgument("the file of keys"),
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := os.ReadFile(args[0])
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			text := seal.NewKey() + "\n" + string(before)
			keys, err := seal.Parse(text)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			out := outputFiles{}
			defer out.discard()
			w, err := out.create(args[0])
			if err != nil {
				return err
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			if err := out.keep(); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "The key %s is in %s. Keep a copy where the database's backups are not: what it seals is lost with it.\n", keys.ID(), args[0])
			return nil
		},
	}
}

// sealedRow is how much of a kind is sealed under a key.
type sealedRow struct {
	What  string `json:"what"`
	Key   string `json:"key"` // "": not sealed
	Count int    `json:"count"`
}

func sealedIn(ctx context.Context, db *durable.Database) (rows []sealedRow, err error) {
	endpoints, err := webhook.New(db, db.Records, time.Now).Keys(ctx)
	if err != nil {
		return nil, err
	}
	events, err := durable.KeptApartKeys(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		what   string
		counts map[string]int
	}{{"webhook endpoints", endpoints}, {"events kept apart", events}} {
		var keys []string
		for key := range of.counts {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			rows = append(rows, sealedRow{of.what, key, of.counts[key]})
		}
	}
	return rows, nil
}

func newSecretsList() *cobra.Command {
	var url, output string
	cmd := &cobra.Command{
		Use:   "list --db URL",
		Short: "Say what is sealed under which key",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			db, err := openDatabase(cmd.Context(), url)
			if err != nil {
				return err
			}
			defer db.Close()
			rows, err := sealedIn(cmd.Context(), db)
			if err != nil {
				return err
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"sealed": rows}) }
			asTable := func(w io.Writer) error {
				table := tabular.New(w, "what", "key", ">count")
				for _, r := range rows {
					if r.Key == "" {
						r.Key = "none"
					}
					table.AppendRow(tabular.Row{r.What, r.Key, counted(int64(r.Count))})
				}
				table.Render()
				return nil
			}
			return write(cmd.OutOrStdout(), output, asJSON, asTable)
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	cmd.MarkFlagRequired("db")
	return cmd
}

func newSecretsRotate() *cobra.Command {
	var url string
	var secrets secretsFlag
	cmd := &cobra.Command{
		Use:   "rotate --db URL --secrets-key FILE",
		Short: "Seal under the first key of the file what is sealed under another, or not at all",
		Long: "Every process that uses the database must have been started with the file as it is\n" +
			"now: one that does not have the new key cannot open what is sealed under it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keys, err := secrets.mustHave()
			if err != nil {
				return err
			}
			db, err := openDatabase(cmd.Context(), url)
			if err != nil {
				return err
			}
			defer db.Close()
			endpoints, err := webhook.New(db, db.Records, time.Now).Sealed(keys).Reseal(cmd.Context())
			if err != nil {
				return err
			}
			events, err := durable.ResealKeptApart(cmd.Context(), db, keys)
			if err != nil {
				return err
			}
			if err := noteAt(cmd.Context(), db, security.SecretsRotated, fmt.Sprintf("under the key %s: %d webhook endpoints, %d events", keys.ID(), endpoints, events)); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "Sealed under the key %s: the secrets of %d webhook endpoints, %d events that are kept apart. All others were already.\n", keys.ID(), endpoints, events)
			return nil
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	secrets.flags(cmd.Flags())
	cmd.MarkFlagRequired("db")
	return cmd
}
