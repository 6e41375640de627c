package main

import (
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recoup/internal/cli"
	"recoup/internal/console"
	"recoup/internal/console/session"
	"recoup/internal/service/budget"
	"recoup/internal/service/run"
)

func serveCommand() *cobra.Command {
	o := run.Options{Version: version()}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the reward ledger as an HTTP service",
		Long: "Answers over HTTP (see /docs once it runs), durably: what it has acknowledged is in\n" +
			"the database. Several processes may run on one PostgreSQL database. It brings the\n" +
			"schema up to date when it starts, closes billing cycles on time, and delivers\n" +
			"webhooks. People look at it at /console/. SIGTERM ends it in good order.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
			defer stop()
			o.DatabaseNamed = cmd.Flags().Changed("db")
			return run.Serve(ctx, &o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address to answer on; port 0 takes a free one")
	f.StringVar(&o.MetricsListen, "metrics-listen", "", "address for /metrics without a key, /healthz, /readyz and /debug/pprof; keep it private")
	f.StringSliceVar(&o.MetricsHosts, "metrics-host", nil, "name that --metrics-listen is asked under, besides addresses, localhost and the machine's own name; may be repeated")
	f.BoolVar(&o.Insecure, "insecure", false, "answer without TLS on an address that others reach too: for behind a proxy that ends TLS")
	o.Database, o.Secrets = cli.DatabaseOr(cmd, "./data"), cli.SecretsKey(cmd)
	f.StringArrayVar(&o.Programs, "program", nil, "program file to put into the database if it is not there; may be repeated, the first ever put is the default")
	f.BoolVar(&o.Dev, "dev", false, "let everybody in without a key, on a loopback address only; without --program the everyday program")
	f.BoolVar(&o.Demo, "demo", false, "begin with lively sample data, in a database of its own unless --db names an empty one; implies --dev")
	f.StringVar(&o.Sources, "sources", "", "file of the processors whose webhooks are taken at /v1/sources/NAME; read again on SIGHUP")
	f.DurationVar(&o.KeepRaw, "keep-raw", 90*24*time.Hour, "how long these webhooks are kept as they came, so that they can be read again")
	f.StringVar(&o.FeedKeys, "feed-keys", "", "file with the keys that tokens for the feeds of accounts are signed with, the newest first, as recoup feed key makes it; read again while the service runs")
	f.StringArrayVar(&o.FeedOrigins, "feed-origin", nil, "site whose pages may show feeds, such as https://app.example; may be repeated")
	f.StringVar(&o.TLSCert, "tls-cert", "", "certificate with its chain, PEM; read again on SIGHUP")
	f.StringVar(&o.TLSKey, "tls-key", "", "its private key, PEM")
	f.DurationVar(&o.MaxAhead, "max-ahead", 15*time.Minute, "how far ahead of its receipt an event may be dated")
	f.BoolVar(&o.AcceptClock, "accept-clock", false, "believe the clock of this machine, however far (more than --max-ahead) it is from what the database knows; --dev does")
	f.DurationVar(&o.CloseAfter, "close-after", time.Hour, "how long after a cycle's end to close it, so that late events still count in it")
	f.DurationVar(&o.Wait, "wait", 30*time.Second, "how long to wait for a database server that is not up yet; 0 does not wait")
	f.DurationVar(&o.Grace, "shutdown-grace", 30*time.Second, "how long requests may still take when the service is told to stop")
	f.StringVar(&o.Brokers, "brokers", "", "file of the brokers of Kafka and NATS that notices may be published to, with their TLS, names and passwords")
	f.BoolVar(&o.WebhookAllowPrivate, "webhook-allow-private", false, "deliver webhooks to private addresses and over plain HTTP too")
	f.StringVar(&o.TraceTo, "otlp-endpoint", "", "send OpenTelemetry traces there, for example http://127.0.0.1:4318")
	f.Float64Var(&o.TracedShare, "otlp-share", 0.01, "share of requests to trace, from 0 to 1")
	f.StringVar(&o.LogLevel, "log-level", "info", "debug, info, warn or error")
	f.BoolVar(&o.LogRequests, "log-requests", false, "log every request, not just failed and slow ones")
	f.IntVar(&o.MaxBatch, "max-batch", 1000, "how many events a commit has at most")
	f.DurationVar(&o.CommitTarget, "commit-target", 5*time.Millisecond, "how long a commit should take: large requests are cut accordingly, so that others wait no longer")
	f.StringVar(&o.Checkpoints.To, "checkpoint-to", "", "keep signed checkpoints of the log in this file, this folder, or at this https address, out of the database's reach")
	f.StringVar(&o.CheckpointKey, "checkpoint-key-file", "", "the key that signs them, from checkpoint keygen")
	f.DurationVar(&o.CheckpointEvery, "checkpoint-every", 5*time.Minute, "how often; what is lost that is older is noticed")
	f.StringVar(&o.Checkpoints.SecretFile, "checkpoint-secret-file", "", "the secret (whsec_…) that signs what is posted to an address")
	f.Int64Var(&o.MinRate, "min-rate", budget.DefaultRate, "bytes a second at which bodies must arrive and answers be taken, after the first ten seconds")
	consoleFlags(f, &o.Console)
	f.IntVar(&o.Risk.ReturnDays, "return-days", 90, "for how many days after its settlement a purchase can come back, on the page about risk")
	f.IntVar(&o.Risk.QuickDays, "velocity-days", 7, "how many days after a payout a refund is told as quick, on that page and to webhooks (velocity.exceeded); 0 tells webhooks of none")
	f.IntVar(&o.VelocityTimes, "velocity-times", 1, "how many quick refunds there must be in 90 days before webhooks are told")
	f.Var(&o.Risk.Alerts, "risk-alert", "threshold of an alert about risk: debt, old-debt, exposure, lost and uncovered take a share such as debt=5%, dippers a number; NAME=off for none; may be repeated")
	f.IntVar(&o.Workers, "workers", 1, "how many commits may run at the same time; more than 1 is of use on PostgreSQL with processors to spare")
	return cmd
}

// consoleFlags are the flags that are about the console.
func consoleFlags(f *pflag.FlagSet, o *run.ConsoleOptions) {
	o.Alone.Of = map[string]int64{"USD": 2500, "EUR": 2500, "GBP": 2500}
	f.Var(&o.Alone, "approve-above", "CURRENCY=AMOUNT, in its own units, such as JPY=2500, KWD=7.500 or PTS=1000 of points, above which an adjustment, or a decision of a review by its effect, needs a second person; may be repeated, and with an amount of 0 all do. In what no amount is set for, all do too. Several times as much may be done alone in 24 hours and in 30 days")
	f.DurationVar(&o.Lifetime, "session-lifetime", session.DefaultLifetime, "how long somebody stays signed in to the console")
	f.DurationVar(&o.Idle, "session-idle", session.DefaultIdle, "how long somebody stays signed in who does nothing")
	f.DurationVar(&o.Refresh, "session-refresh", session.DefaultRefresh, "how often the identity provider is asked again who its people are: a role that it takes away ends within that time")
	f.BoolVar(&o.SecureCookies, "secure-cookies", false, "send the console's cookies over TLS only, as is done where the service itself or --oidc-redirect-url has it; set it behind a proxy that ends TLS")
	f.StringVar(&o.OIDC.Issuer, "oidc-issuer", "", "sign people in to the console at this OpenID Connect provider, besides API keys")
	f.StringVar(&o.OIDC.ClientID, "oidc-client-id", "", "what the provider knows this service as")
	f.StringVar(&o.OIDCSecretFile, "oidc-client-secret-file", "", "file with the secret that the provider gave it; none for a public client")
	f.StringVar(&o.OIDC.RedirectURL, "oidc-redirect-url", "", "where the provider sends people back to: https://HOST"+console.CallbackPath)
	f.StringVar(&o.OIDC.RoleClaim, "oidc-role-claim", "", "claim with a person's roles or groups, with dots for one within another (default roles)")
	f.StringVar(&o.OIDC.NameClaim, "oidc-name-claim", "", "claim with what a person is called (default email, or else name, or else sub)")
	f.StringArrayVar(&o.OIDC.Scopes, "oidc-scope", nil, "scope to ask the provider for besides openid, such as groups; may be repeated (default profile and email)")
	f.StringArrayVar(&o.OIDCRoles, "oidc-role", nil, "VALUE=ROLE: what a value of that claim makes somebody: viewer, operator, approver or admin; may be repeated")
}
