package desk

import (
	"fmt"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/secrets"
	"recoup/internal/service/security"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
)

func secretsCommand() *cobra.Command {
	return cli.Group("secrets", "Seal secrets in a database with a key that is kept apart from it", "", secretsNew(), secretsList(), secretsRotate())
}

func secretsNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new FILE",
		Short: "Put a new key before those of a file, which is made if it is not there",
		Long: "From the next start on the new key seals, and the others still open. recoup secrets\n" +
			"rotate seals under it what is there; after that the others can go from the file.",
		Args: cli.OneArgument("the file of keys"),
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := secrets.New(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "The key %s is in %s. Keep a copy where the database's backups are not: what it seals is lost with it.\n", keys.ID(), args[0])
			return nil
		},
	}
}

var sealedListing = tabular.Listing[secrets.Sealed]{
	Name: "sealed", Columns: []string{"what", "key", ">count"},
	Cells: func(r *secrets.Sealed) tabular.Row {
		key := r.Key
		if key == "" {
			key = "none"
		}
		return tabular.Row{r.What, key, webhook.Counted(int64(r.Count))}
	},
}

func secretsList() *cobra.Command {
	return listing("list --db URL", "Say what is sealed under which key", cobra.NoArgs, &sealedListing,
		func(cmd *cobra.Command, d *desk, _ []string) ([]secrets.Sealed, error) {
			return secrets.List(cmd.Context(), d.db)
		})
}

func secretsRotate() *cobra.Command {
	var db *open.Database
	var file *string
	cmd := &cobra.Command{
		Use:   "rotate --db URL --secrets-key FILE",
		Short: "Seal under the first key of the file what is sealed under another, or not at all",
		Long: "Every process that uses the database must have been started with the file as it is\n" +
			"now: one that does not have the new key cannot open what is sealed under it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keys, err := secrets.MustKeys(*file)
			if err != nil {
				return err
			}
			return cli.With(cmd.Context(), db, func(d *durable.Database) error {
				endpoints, events, webhooks, err := secrets.Rotate(cmd.Context(), d, keys)
				if err != nil {
					return err
				}
				if err := security.NoteLocal(cmd.Context(), d, security.SecretsRotated, fmt.Sprintf("under the key %s: %d webhook endpoints, %d events, %d webhooks of processors", keys.ID(), endpoints, events, webhooks)); err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "Sealed under the key %s: the secrets of %d webhook endpoints, %d events that are kept apart, %d webhooks of processors. All others were already.\n", keys.ID(), endpoints, events, webhooks)
				return nil
			})
		},
	}
	db, file = cli.Database(cmd), cli.SecretsKey(cmd)
	return cmd
}
