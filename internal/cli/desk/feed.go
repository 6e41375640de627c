package desk

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/service/feed"
)

func feedCommand() *cobra.Command {
	return cli.Group("feed", "Let cardholders' browsers and apps read their feed", "", feedKey(), feedToken())
}

func feedKey() *cobra.Command {
	return &cobra.Command{
		Use:   "key FILE",
		Short: "Put a new key before those of a file, which is made if it is not there",
		Long: "A service that runs reads the file again: from the next second on the new key signs\n" +
			"tokens, and the others are still believed. Take a key's line out, and no token that it\n" +
			"signed is believed any more. Who makes tokens by themselves shares a line of the file.",
		Args: cli.OneArgument("the file of keys"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := feed.New(args[0], time.Now())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "The key %s is in %s, which recoup serve takes as --feed-keys.\n", id, args[0])
			return nil
		},
	}
}

func feedToken() *cobra.Command {
	var file string
	var life time.Duration
	cmd := &cobra.Command{
		Use:   "token --keys FILE ACCOUNT",
		Short: "Make a token that reads the feed of one account for some minutes",
		Args:  cli.OneArgument("the account"),
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := feed.Open(file, time.Now)
			if err != nil {
				return err
			}
			token, _, err := keys.Mint(args[0], life)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), token)
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "keys", "", "the file of keys")
	cmd.Flags().DurationVar(&life, "for", feed.DefaultLife, "how long it lives, at most 15m")
	cmd.MarkFlagRequired("keys")
	return cmd
}
