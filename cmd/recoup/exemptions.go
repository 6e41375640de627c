package main

import (
	"cmp"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/reward"
)

func exemptionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "exemptions",
		Short: "Say which members of events are ids that may look like card numbers",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newExemptionsSet("add --db URL --source SOURCE --member MEMBER --reason TEXT", "Do not look for card numbers in a member of a source's events", true),
		newExemptionsSet("remove --db URL --source SOURCE --member MEMBER --reason TEXT", "Look there again", false), newExemptionsList())
	return cmd
}

// exemptionsOf opens the exemptions of a database for as long as something is done with
// them, and prints which changes that was about.
func exemptionsOf(cmd *cobra.Command, url, output string, do func(*durable.Database, *exempt.Rules) ([]exempt.Change, error)) error {
	if err := checkOutput(output); err != nil {
		return err
	}
	db, err := openDatabase(cmd.Context(), url)
	if err != nil {
		return err
	}
	defer db.Close()
	rules, err := exempt.Open(cmd.Context(), db, time.Now)
	if err != nil {
		return err
	}
	list, err := do(db, rules)
	if err != nil {
		return err
	}
	asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"exemptions": list}) }
	asTable := func(w io.Writer) error {
		table := tabular.New(w, ">number", "source", "member", "exempt", "by", "why", "at")
		for _, c := range list {
			is := "yes"
			if !c.Exempt {
				is = "no"
			}
			table.AppendRow(tabular.Row{counted(c.Number), c.Source, c.Member, is, c.Actor, c.Reason, seconds(reward.Instant(c.At))})
		}
		table.Render()
		return nil
	}
	return write(cmd.OutOrStdout(), output, asJSON, asTable)
}

func newExemptionsSet(use, short string, is bool) *cobra.Command {
	var url, output string
	c := exempt.Change{Exempt: is}
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exemptionsOf(cmd, url, output, func(db *durable.Database, rules *exempt.Rules) ([]exempt.Change, error) {
				done, changed, err := rules.Set(cmd.Context(), c)
				if err == nil && changed {
					err = noteAt(cmd.Context(), db, security.ExemptionChanged, done.String())
				}
				return []exempt.Change{done}, err
			})
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	cmd.Flags().StringVar(&c.Source, "source", "", "the source of the events")
	cmd.Flags().StringVar(&c.Member, "member", "", "the member, as a line has it: subject, data.transaction, data.merchant")
	cmd.Flags().StringVar(&c.Reason, "reason", "", "why; it stays on record")
	cmd.Flags().StringVar(&c.Actor, "actor", cmp.Or(os.Getenv("SUDO_USER"), os.Getenv("USER"), "recoup exemptions"), "who decides so; it stays on record")
	for _, name := range []string{"db", "source", "member", "reason"} {
		cmd.MarkFlagRequired(name)
	}
	return cmd
}

// listedChanges is how many changes a list has at most.
const listedChanges = 1000

func newExemptionsList() *cobra.Command {
	var url, output string
	var all bool
	cmd := &cobra.Command{
		Use:   "list --db URL",
		Short: "List what is exempt, or with --history who changed that when",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exemptionsOf(cmd, url, output, func(_ *durable.Database, rules *exempt.Rules) ([]exempt.Change, error) {
				if all {
					return rules.Changes(cmd.Context(), 0, listedChanges)
				}
				return rules.InForce(cmd.Context())
			})
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	cmd.Flags().BoolVar(&all, "history", false, "list the latest changes instead, the newest first")
	cmd.MarkFlagRequired("db")
	return cmd
}
