package main

import (
	"context"

	"github.com/spf13/cobra"
)

// pooled marks a context whose PostgreSQL is reached by way of a pooler.
type pooled struct{}

// isPooled reports whether PostgreSQL is reached by way of a pooler.
func isPooled(ctx context.Context) bool { return ctx.Value(pooled{}) != nil }

// allowPoolers gives every command that opens a database the flag that says how. That is
// no part of the URL, since a URL is also what other programs are given.
func allowPoolers(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		allowPoolers(c)
	}
	run := cmd.RunE
	opens := cmd.Flags().Lookup("db") != nil || cmd.Flags().Lookup("from") != nil && cmd.Flags().Lookup("to") != nil
	if shards := cmd.Parent(); shards != nil && shards.Name() == "shards" {
		opens = true
	}
	if !opens || run == nil {
		return
	}
	pooler := cmd.Flags().Bool("pg-pooler", false, "PostgreSQL is reached by way of a pooler such as pgbouncer, in transaction mode: prepare nothing, and leave nothing behind in a session")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *pooler {
			cmd.SetContext(context.WithValue(cmd.Context(), pooled{}, true))
		}
		return run(cmd, args)
	}
}
