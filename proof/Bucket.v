(* One bucket: what the purchases of one account, under one rule, in one cycle earn together
   when each keeps what has not been returned of it (semantics.md, section 2, rerate; the
   paper's section 6, where a cap is a counter of its own).

   Amounts and rewards are integers in minor units. A rate is a whole number of parts, of
   which `scale` make one. Worth is in parts of a minor unit, so that nothing is rounded
   before it is meant to be. *)

From Coq Require Import ZArith List Lia Permutation.
Import ListNotations.
Open Scope Z_scope.

(* scale is how many parts of a rate make one: 100 % is 10^8 millionths of a percent. *)
Definition scale : Z := 100000000.

Lemma scale_pos : 0 < scale.
Proof. reflexivity. Qed.

(* sum adds a list up. *)
Definition sum (l : list Z) : Z := fold_right Z.add 0 l.

(* A line is a purchase as its bucket sees it: what is left of it, and its rate. *)
Record line := Line { left : Z; rate : Z }.

Definition sound (l : line) : Prop := 0 <= left l /\ 0 <= rate l.

(* worth is the reward of a line before rounding, in parts. *)
Definition worth (l : line) : Z := left l * rate l.

(* whole is the reward of a line by itself: rounded down, in minor units. *)
Definition whole (l : line) : Z := worth l / scale.

(* A cap is the most that a bucket grants; None is no cap. *)
Definition upto (cap : option Z) (v : Z) : Z :=
  match cap with Some c => Z.min v c | None => v end.

Definition less (cap : option Z) (v : Z) : option Z :=
  match cap with Some c => Some (c - v) | None => None end.

Definition cap_sound (cap : option Z) : Prop :=
  match cap with Some c => 0 <= c | None => True end.

(* fill gives each line, in posting order, what it earns, as far as the cap has room:
   f_i = min(floor(rate * left), cap - sum of the f before). *)
Fixpoint fill (cap : option Z) (ls : list line) : list Z :=
  match ls with
  | [] => []
  | l :: rest => let f := upto cap (whole l) in f :: fill (less cap f) rest
  end.

(* promised is what the published terms grant on what is left, before rounding: the
   paper's entitlement, in parts. *)
Definition promised (cap : option Z) (ls : list line) : Z :=
  upto (match cap with Some c => Some (c * scale) | None => None end) (sum (map worth ls)).

(* ---- Lists ---- *)

Lemma sum_app : forall xs ys, sum (xs ++ ys) = sum xs + sum ys.
Proof. induction xs; simpl; intros; [lia | rewrite IHxs; lia]. Qed.

Lemma sum_permutation : forall xs ys, Permutation xs ys -> sum xs = sum ys.
Proof. induction 1; simpl; lia. Qed.

Lemma sum_nonneg : forall xs, Forall (fun x => 0 <= x) xs -> 0 <= sum xs.
Proof. induction 1; simpl; lia. Qed.

Lemma sum_le : forall xs ys, Forall2 Z.le xs ys -> sum xs <= sum ys.
Proof. induction 1; simpl; lia. Qed.

(* ---- One line ---- *)

Lemma worth_nonneg : forall l, sound l -> 0 <= worth l.
Proof. intros l [? ?]. unfold worth. nia. Qed.

Lemma whole_nonneg : forall l, sound l -> 0 <= whole l.
Proof. intros l H. apply Z.div_pos; [apply worth_nonneg; assumption | reflexivity]. Qed.

(* Rounding never creates reward. *)
Lemma whole_below_worth : forall l, whole l * scale <= worth l.
Proof. intros. unfold whole. pose proof (Z.mul_div_le (worth l) scale scale_pos). lia. Qed.

(* It takes less than one minor unit. *)
Lemma worth_below_next : forall l, worth l < whole l * scale + scale.
Proof. intros. unfold whole. pose proof (Z.mul_succ_div_gt (worth l) scale scale_pos). lia. Qed.

Lemma nothing_left : forall l, left l = 0 -> whole l = 0.
Proof. intros l H. unfold whole, worth. rewrite H. reflexivity. Qed.

Lemma whole_monotone : forall l l', rate l = rate l' -> 0 <= rate l -> left l <= left l' -> whole l <= whole l'.
Proof.
  intros l l' Hr Hp Hl. unfold whole, worth. rewrite Hr in *.
  apply Z.div_le_mono; [reflexivity | nia].
Qed.

(* ---- The bucket ---- *)

Lemma wholes_nonneg : forall ls, Forall sound ls -> Forall (fun x => 0 <= x) (map whole ls).
Proof. induction 1; simpl; constructor; auto using whole_nonneg. Qed.

Lemma worths_nonneg : forall ls, Forall sound ls -> 0 <= sum (map worth ls).
Proof. induction 1; simpl; [lia | pose proof (worth_nonneg _ H); lia]. Qed.

Lemma less_sound : forall cap v, cap_sound cap -> cap_sound (less cap (upto cap v)).
Proof. destruct cap; simpl; intros; lia || exact I. Qed.

(* What a bucket grants in all is what its lines earn, cut at the cap once: to whom the
   room goes does not matter to the sum. *)
Theorem fill_total : forall ls cap, Forall sound ls -> cap_sound cap ->
  sum (fill cap ls) = upto cap (sum (map whole ls)).
Proof.
  induction ls as [| l ls IH]; intros cap Hs Hc.
  - destruct cap; simpl in *; lia.
  - inversion Hs as [| ? ? Hl Hrest]; subst. simpl.
    rewrite IH by (auto using less_sound).
    pose proof (whole_nonneg l Hl).
    pose proof (sum_nonneg _ (wholes_nonneg _ Hrest)).
    destruct cap; simpl in *; lia.
Qed.

Lemma fill_nonneg : forall ls cap, Forall sound ls -> cap_sound cap -> Forall (fun f => 0 <= f) (fill cap ls).
Proof.
  induction ls as [| l ls IH]; intros cap Hs Hc; simpl; constructor; inversion Hs; subst.
  - pose proof (whole_nonneg l H1). destruct cap; simpl in *; lia.
  - apply IH; auto using less_sound.
Qed.

(* Per-transaction bound: no purchase has more than its rate on what is left of it. *)
Theorem fill_bound : forall ls cap, Forall2 Z.le (fill cap ls) (map whole ls).
Proof.
  induction ls as [| l ls IH]; intros cap; simpl; constructor; auto.
  destruct cap; simpl; lia.
Qed.

Lemma wholes_below_worths : forall ls, sum (map whole ls) * scale <= sum (map worth ls).
Proof. induction ls as [| l ls IH]; simpl; [lia | pose proof (whole_below_worth l); lia]. Qed.

(* Reward Integrity of a bucket (the paper's section 4.1): never above the entitlement. *)
Theorem fill_integrity : forall ls cap, Forall sound ls -> cap_sound cap ->
  sum (fill cap ls) * scale <= promised cap ls.
Proof.
  intros. rewrite fill_total by assumption.
  pose proof (wholes_below_worths ls). pose proof scale_pos.
  unfold promised. destruct cap; simpl; nia.
Qed.

Lemma worths_below_next : forall ls, sum (map worth ls) <= sum (map whole ls) * scale + Z.of_nat (length ls) * scale.
Proof.
  induction ls as [| l ls IH]; [simpl; lia |].
  pose proof (worth_below_next l).
  replace (Z.of_nat (length (l :: ls))) with (Z.of_nat (length ls) + 1) by (simpl length; lia).
  simpl map. simpl sum. lia.
Qed.

(* Fairness of a bucket: below the entitlement by less than a minor unit a purchase. *)
Theorem fill_fairness : forall ls cap, Forall sound ls -> cap_sound cap ->
  promised cap ls <= sum (fill cap ls) * scale + Z.of_nat (length ls) * scale.
Proof.
  intros. rewrite fill_total by assumption.
  pose proof (worths_below_next ls). pose proof scale_pos.
  unfold promised. destruct cap; simpl; nia.
Qed.

(* What has been returned whole earns nothing. *)
Theorem fill_nothing : forall ls cap, cap_sound cap -> Forall (fun l => left l = 0) ls -> sum (fill cap ls) = 0.
Proof.
  induction ls as [| l ls IH]; intros cap Hc H; [reflexivity |].
  inversion H; subst. simpl. rewrite nothing_left by assumption.
  assert (upto cap 0 = 0) as -> by (destruct cap; simpl in *; lia).
  rewrite IH; [lia | destruct cap; simpl in *; [lia | exact I] | assumption].
Qed.

(* fewer says that the same purchases keep as much or less. *)
Definition fewer (ls ls' : list line) : Prop :=
  Forall2 (fun l l' => rate l = rate l' /\ left l <= left l') ls ls'.

(* Monotonicity: a return never raises what a bucket grants. *)
Theorem fill_monotone : forall ls ls' cap, Forall sound ls -> Forall sound ls' -> cap_sound cap -> fewer ls ls' ->
  sum (fill cap ls) <= sum (fill cap ls').
Proof.
  intros ls ls' cap Hs Hs' Hc H. rewrite !fill_total by assumption.
  assert (sum (map whole ls) <= sum (map whole ls')).
  { clear Hc. induction H as [| l l' ls ls' [Hr Hl] H IH]; simpl; [lia |].
    inversion Hs; inversion Hs'; subst.
    assert (whole l <= whole l') by (apply whole_monotone; destruct H2; assumption).
    specialize (IH H3 H7). lia. }
  destruct cap; simpl; lia.
Qed.

(* Order: in whatever order the purchases came, the bucket grants the same. *)
Theorem fill_order : forall ls ls' cap, Forall sound ls -> cap_sound cap -> Permutation ls ls' ->
  sum (fill cap ls) = sum (fill cap ls').
Proof.
  intros ls ls' cap Hs Hc H.
  assert (Forall sound ls') by (eapply Permutation_Forall; eassumption).
  rewrite !fill_total by assumption.
  f_equal. apply sum_permutation. apply Permutation_map. assumption.
Qed.

(* As if never bought: lines of which nothing is left may be left out. *)
Theorem fill_without : forall ls cap, Forall sound ls -> cap_sound cap ->
  sum (fill cap ls) = sum (fill cap (filter (fun l => 0 <? left l) ls)).
Proof.
  intros ls cap Hs Hc.
  assert (Forall sound (filter (fun l => 0 <? left l) ls)).
  { rewrite Forall_forall in *. intros l Hin. apply filter_In in Hin. apply Hs, Hin. }
  rewrite !fill_total by assumption. f_equal. clear Hc H.
  induction Hs as [| l ls [Hl Hr] Hs IH]; simpl; [reflexivity |].
  destruct (Z.ltb_spec 0 (left l)); simpl; [lia |].
  rewrite nothing_left by lia. lia.
Qed.
