package desk

import (
	"cmp"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/security"
	"recoup/internal/store/exempt"
	"recoup/reward"
)

func exemptions() *cobra.Command {
	return cli.Group("exemptions", "Say which members of events are ids that may look like card numbers", "",
		exemptionsSet("add --db URL --source SOURCE --member MEMBER --reason TEXT", "Do not look for card numbers in a member of a source's events", true),
		exemptionsSet("remove --db URL --source SOURCE --member MEMBER --reason TEXT", "Look there again", false), exemptionsList())
}

var exemptionListing = tabular.Listing[exempt.Change]{
	Name: "exemptions", Columns: []string{">number", "source", "member", "exempt", "by", "why", "at"},
	Cells: func(c *exempt.Change) tabular.Row {
		is := "yes"
		if !c.Exempt {
			is = "no"
		}
		return tabular.Row{c.Number, c.Source, c.Member, is, c.Actor, c.Reason, cli.Seconds(reward.Instant(c.At))}
	},
}

// exemptionsOf is a command that does something with the exemptions of a database, and
// prints which changes that was about.
func exemptionsOf(use, short string, do func(*cobra.Command, *desk, *exempt.Rules) ([]exempt.Change, error)) *cobra.Command {
	return listing(use, short, cobra.NoArgs, &exemptionListing, func(cmd *cobra.Command, d *desk, _ []string) ([]exempt.Change, error) {
		rules, err := exempt.Open(cmd.Context(), d.db, time.Now)
		if err != nil {
			return nil, err
		}
		return do(cmd, d, rules)
	})
}

func exemptionsSet(use, short string, is bool) *cobra.Command {
	c := exempt.Change{Exempt: is}
	cmd := exemptionsOf(use, short, func(cmd *cobra.Command, d *desk, rules *exempt.Rules) ([]exempt.Change, error) {
		done, changed, err := rules.Set(cmd.Context(), c)
		if err == nil && changed {
			err = d.note(cmd.Context(), security.ExemptionChanged, done.String())
		}
		return []exempt.Change{done}, err
	})
	f := cmd.Flags()
	f.StringVar(&c.Source, "source", "", "the source of the events")
	f.StringVar(&c.Member, "member", "", "the member, as a line has it: subject, data.transaction, data.merchant")
	f.StringVar(&c.Reason, "reason", "", "why; it stays on record")
	f.StringVar(&c.Actor, "actor", cmp.Or(os.Getenv("SUDO_USER"), os.Getenv("USER"), "recoup exemptions"), "who decides so; it stays on record")
	cli.Require(cmd, "source", "member", "reason")
	return cmd
}

// listedChanges is how many changes a list has at most.
const listedChanges = 1000

func exemptionsList() *cobra.Command {
	var all bool
	cmd := exemptionsOf("list --db URL", "List what is exempt, or with --history who changed that when", func(cmd *cobra.Command, _ *desk, rules *exempt.Rules) ([]exempt.Change, error) {
		if all {
			return rules.Changes(cmd.Context(), 0, listedChanges)
		}
		return rules.InForce(cmd.Context())
	})
	cmd.Flags().BoolVar(&all, "history", false, "list the latest changes instead, the newest first")
	return cmd
}
