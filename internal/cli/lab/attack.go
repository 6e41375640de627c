package lab

import (
	"github.com/spf13/cobra"

	"recoup/internal/lab/attack"
	"recoup/internal/lab/design"
	"recoup/program"
)

func attackCommand() *cobra.Command {
	bounds := attack.DefaultBounds()
	var issuer, file string
	cmd := finder("attack", "Search for the best strategy of an opportunistic customer against each design",
		func(cmd *cobra.Command, _ []string) (finding, error) {
			designs := design.All()
			if file != "" {
				p, err := program.Load(file)
				if err != nil {
					return nil, err
				}
				of := bounds.Of(p)
				if cmd.Flags().Changed("amounts") {
					of.Amounts = bounds.Amounts
				}
				if cmd.Flags().Changed("cycles") {
					of.Cycles = bounds.Cycles
				}
				bounds = of
				for _, v := range design.Vendors() {
					designs = append(designs, v.Design)
				}
			}
			if issuer != "" {
				d, err := design.Find(issuer)
				if err != nil {
					return nil, err
				}
				designs = []design.Design{d}
			}
			return attack.All(cmd.Context(), designs, bounds)
		})
	flags := cmd.Flags()
	flags.StringVarP(&file, "program", "p", "", "what the designs promise (default: 5 % on groceries, up to $50 a month)")
	flags.StringVar(&issuer, "issuer", "", "one design, such as A, F, V3a, \"Literal (instant)\" or Recoup (default: all)")
	flags.IntVar(&bounds.Cycles, "cycles", bounds.Cycles, "cycles in which the customer may buy (default with --program: 2)")
	flags.IntVar(&bounds.PurchasesPerCycle, "purchases", bounds.PurchasesPerCycle, "purchases a cycle at most")
	flags.IntVar(&bounds.MovesPerCycle, "moves", bounds.MovesPerCycle, "moves a cycle at most (0: any number)")
	flags.IntSliceVar(&bounds.Days, "days", bounds.Days, "days of the month on which the customer acts")
	flags.Int64SliceVar(&bounds.Amounts, "amounts", bounds.Amounts, "prices the customer may pay, in minor units (default with --program: what reaches its bonus or fills its cap, and half)")
	flags.IntVar(&bounds.ReturnDays, "return-days", bounds.ReturnDays, "how long the merchant takes purchases back")
	return cmd
}

func tiersCommand() *cobra.Command {
	graceDays := attack.DefaultGraceDays
	cmd := finder("tiers", "Switch the paper's three tiers of defence off one by one, and search for the best attack",
		func(cmd *cobra.Command, _ []string) (finding, error) {
			return attack.Tiers(cmd.Context(), attack.DefaultBounds(), graceDays)
		})
	cmd.Flags().IntVar(&graceDays, "grace-days", graceDays, "grace period of the temporal tier")
	return cmd
}

func impactCommand() *cobra.Command {
	return finder("impact", "Print the paper's sensitivity table, and the same with what the lab's attacks take",
		func(cmd *cobra.Command, _ []string) (finding, error) {
			report, err := attack.All(cmd.Context(), design.All(), attack.DefaultBounds())
			if err != nil {
				return nil, err
			}
			return attack.NewImpact(report), nil
		})
}
