// Package books has the commands of recoup that look after a ledger's database as a whole:
// verify it, sign what it has, export it, copy it, make it anew, and move its shards.
package books

import (
	"github.com/spf13/cobra"

	"recoup/internal/cli"
)

// Commands are all commands of the books.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		shardsCommand(), migrate(), rebuildCommand(), cli.Group("account", "Look after single accounts", "", accountRebuild()), forgetCommand(), verifyCommand(), checkpoint(),
		cli.Group("export", "Export what a database has for other people's tools", "", exportEvents(), exportJournal(), exportSQLite(), exportParquet()), backup(),
	}
}
