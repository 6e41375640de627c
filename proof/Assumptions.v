(* What each theorem rests on: scripts/proof.sh fails on anything but "Closed under the
   global context". *)

From Recoup Require Import Bucket Terms Proportional Facts Account Paper.

Print Assumptions fill_integrity.
Print Assumptions fill_fairness.
Print Assumptions fill_bound.
Print Assumptions fill_order.
Print Assumptions fill_monotone.
Print Assumptions spend_right.
Print Assumptions number_right.
Print Assumptions stepped_rule_right.
Print Assumptions spend_bonus_right.
Print Assumptions stamps_right.
Print Assumptions right_hold.
Print Assumptions falling_is_wrong.
Print Assumptions target_bound.
Print Assumptions target_nothing.
Print Assumptions proportional_integrity.
Print Assumptions level_takes_once.
Print Assumptions reversed_order.
Print Assumptions reversed_again.
Print Assumptions integrity.
Print Assumptions step_ok.
Print Assumptions consistent_at_once.
Print Assumptions deferred.
Print Assumptions grantOf_bound.
Print Assumptions consistent_at_close.
Print Assumptions level_once.
Print Assumptions available_remains.
Print Assumptions hold_safety.
Print Assumptions part_posted.
Print Assumptions order.
Print Assumptions return_monotone.
Print Assumptions as_if_never_bought.
Print Assumptions nothing_left_out.
Print Assumptions telescoping.
Print Assumptions G1.
Print Assumptions G2.
Print Assumptions G2_parts.
Print Assumptions G3.
Print Assumptions G4.
Print Assumptions G5.
Print Assumptions G6.
Print Assumptions G7.
Print Assumptions printed_algorithms_leak.
