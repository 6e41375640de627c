(* Baskets that are worth a function of what is left in them: steps of rates, goals of
   spend and of counts, rewards for every so much (terms.md). What a basket grants after
   levelling is its value, so all that has to be shown is what kind of function that is. *)

From Coq Require Import ZArith List Lia Permutation.
From Recoup Require Import Bucket.
Import ListNotations.
Open Scope Z_scope.

(* The spend that counts in a basket: each purchase by what is left of it, and nothing
   below the least that counts. *)
Definition counts (least : Z) (l : line) : Z := if left l <? least then 0 else left l.
Definition spend (least : Z) (ls : list line) : Z := sum (map (counts least) ls).

(* How many purchases count. *)
Definition one (least : Z) (l : line) : Z := if left l <? Z.max 1 least then 0 else 1.
Definition number (least : Z) (ls : list line) : Z := sum (map (one least) ls).

(* Steps: so much spend at each rate, the rest at the last. *)
Fixpoint stepped (ss : list (Z * Z)) (last q : Z) : Z :=
  match ss with
  | [] => q * last
  | (width, r) :: ss => Z.min q width * r + stepped ss last (Z.max 0 (q - width))
  end.

Definition steps_sound (ss : list (Z * Z)) (last : Z) : Prop := 0 <= last /\ Forall (fun s => 0 <= fst s /\ 0 <= snd s) ss.

(* Goals: the most that a goal which is reached pays. *)
Definition goal (gs : list (Z * Z)) (q : Z) : Z :=
  fold_right (fun g best => if fst g <=? q then Z.max (snd g) best else best) 0 gs.

(* Every so much: so many times, at most so often. *)
Definition every (each reward most q : Z) : Z := Z.min most (q / each) * reward.

(* A value is right if more that is left never makes it less, nothing left makes it
   nothing, and the order of purchases does not count. *)
Record right (value : list line -> Z) : Prop := Right {
  monotone : forall ls ls', Forall sound ls -> Forall sound ls' -> fewer ls ls' -> value ls <= value ls';
  empty : forall ls, Forall (fun l => left l = 0) ls -> value ls = 0;
  orderless : forall ls ls', Permutation ls ls' -> value ls = value ls';
  without : forall ls, Forall sound ls -> value ls = value (filter (fun l => 0 <? left l) ls)
}.

(* ---- Spend and number ---- *)

Lemma counts_monotone : forall least l l', sound l' -> left l <= left l' -> counts least l <= counts least l'.
Proof.
  intros least l l' [Hl Hr] H. unfold counts. destruct (Z.ltb_spec (left l) least); destruct (Z.ltb_spec (left l') least); lia.
Qed.

Lemma one_monotone : forall least l l', left l <= left l' -> one least l <= one least l'.
Proof. intros. unfold one. destruct (Z.ltb_spec (left l) (Z.max 1 least)); destruct (Z.ltb_spec (left l') (Z.max 1 least)); lia. Qed.

Lemma total_right : forall (f : line -> Z),
  (forall l l', sound l -> sound l' -> left l <= left l' -> f l <= f l') -> (forall l, left l = 0 -> f l = 0) ->
  right (fun ls => sum (map f ls)).
Proof.
  intros f Hm Hz. constructor.
  - intros ls ls' Hs Hs' H. induction H as [| l l' ls ls' [_ Hl] H IH]; simpl; [lia |].
    inversion Hs; inversion Hs'; subst. specialize (IH H3 H7). specialize (Hm l l' H2 H6 Hl). lia.
  - induction 1; simpl; [reflexivity |]. rewrite Hz, IHForall by assumption. reflexivity.
  - intros ls ls' H. apply sum_permutation, Permutation_map. assumption.
  - induction 1 as [| l ls [Hl Hr] Hs IH]; simpl; [reflexivity |].
    destruct (Z.ltb_spec 0 (left l)); simpl; [lia |]. rewrite (Hz l) by lia. lia.
Qed.

Theorem spend_right : forall least, right (spend least).
Proof.
  intros. apply total_right; [intros; apply counts_monotone; assumption |].
  intros l H. unfold counts. rewrite H. destruct (0 <? least); reflexivity.
Qed.

Theorem number_right : forall least, right (number least).
Proof.
  intros. apply total_right; [intros; apply one_monotone; assumption |].
  intros l H. unfold one. rewrite H. destruct (Z.ltb_spec 0 (Z.max 1 least)); [reflexivity | lia].
Qed.

(* ---- Functions of them ---- *)

Definition rising (f : Z -> Z) : Prop := f 0 = 0 /\ forall q q', 0 <= q -> q <= q' -> f q <= f q'.

Theorem rising_right : forall value f, right value -> (forall ls, Forall sound ls -> 0 <= value ls) -> rising f ->
  right (fun ls => f (value ls)).
Proof.
  intros value f [Hm He Ho Hw] Hn [Hz Hr]. constructor; intros.
  - apply Hr; [apply Hn; assumption | apply Hm; assumption].
  - rewrite He by assumption. assumption.
  - f_equal. apply Ho. assumption.
  - f_equal. apply Hw. assumption.
Qed.

Lemma spend_nonneg : forall least ls, Forall sound ls -> 0 <= spend least ls.
Proof.
  intros least ls H. apply sum_nonneg. rewrite Forall_map. eapply Forall_impl; [| exact H].
  intros l [? ?]. unfold counts. destruct (left l <? least); lia.
Qed.

Lemma number_nonneg : forall least ls, 0 <= number least ls.
Proof.
  intros least ls. apply sum_nonneg. rewrite Forall_map, Forall_forall. intros l _. unfold one.
  destruct (left l <? Z.max 1 least); lia.
Qed.

Lemma stepped_zero : forall ss last, steps_sound ss last -> stepped ss last 0 = 0.
Proof.
  induction ss as [| [w r] ss IH]; intros last [Hl Hs]; cbn [stepped]; [lia |].
  inversion Hs as [| ? ? [Hw Hr] Hs']; subst. cbn [fst snd] in *.
  replace (Z.max 0 (0 - w)) with 0 by lia. rewrite IH by (split; assumption). rewrite Z.min_l by lia. lia.
Qed.

Lemma stepped_rises : forall ss last q q', steps_sound ss last -> 0 <= q -> q <= q' -> stepped ss last q <= stepped ss last q'.
Proof.
  induction ss as [| [w r] ss IH]; intros last q q' [Hl Hs] Hq H; simpl; [nia |].
  inversion Hs as [| ? ? [Hw Hr] Hs']; subst. simpl in *.
  assert (stepped ss last (Z.max 0 (q - w)) <= stepped ss last (Z.max 0 (q' - w))) by (apply IH; [split; assumption | lia | lia]).
  nia.
Qed.

Theorem steps_rise : forall ss last, steps_sound ss last -> rising (stepped ss last).
Proof. intros. split; [apply stepped_zero; assumption | intros; apply stepped_rises; assumption]. Qed.

Theorem goals_rise : forall gs, Forall (fun g => 0 < fst g /\ 0 <= snd g) gs -> rising (goal gs).
Proof.
  intros gs H. split.
  - induction H as [| [from r] gs [Hf Hr] H IH]; simpl in *; [reflexivity |].
    destruct (Z.leb_spec from 0); [lia | assumption].
  - intros q q' Hq Hle. induction H as [| [from r] gs [Hf Hr] H IH]; simpl in *; [lia |].
    destruct (Z.leb_spec from q); destruct (Z.leb_spec from q'); lia.
Qed.

Theorem every_rises : forall each reward most, 0 < each -> 0 <= reward -> 0 <= most -> rising (every each reward most).
Proof.
  intros each reward most He Hr Hm. unfold every. split.
  - rewrite Z.div_0_l by lia. rewrite Z.min_r by lia. reflexivity.
  - intros q q' Hq H. assert (q / each <= q' / each) by (apply Z.div_le_mono; lia). nia.
Qed.

(* Rounding down to a minor unit or to a whole dollar, and a cap. *)
Theorem rounding_rises : forall unit, 0 < unit -> rising (fun v => v / unit).
Proof. intros unit H. split; [apply Z.div_0_l; lia | intros; apply Z.div_le_mono; lia]. Qed.

Theorem cap_rises : forall c, 0 <= c -> rising (Z.min c).
Proof. intros c H. split; lia. Qed.

Theorem rising_composes : forall f g, rising f -> rising g -> (forall q, 0 <= q -> 0 <= f q) -> rising (fun q => g (f q)).
Proof. intros f g [Hf Hf'] [Hg Hg'] H. split; [rewrite Hf; assumption | intros; apply Hg'; auto]. Qed.

Lemma rising_nonneg : forall f q, rising f -> 0 <= q -> 0 <= f q.
Proof. intros f q [H H'] Hq. rewrite <- H. apply H'; lia. Qed.

(* A rule with steps, rounded down and capped, and a bonus for spend, are right; so
   returns never pay: no more for fewer purchases, nothing for nothing, as if what came
   back had never been bought, in whatever order it was. *)
Theorem stepped_rule_right : forall least ss last c, steps_sound ss last -> 0 <= c ->
  right (fun ls => Z.min c (stepped ss last (spend least ls) / scale)).
Proof.
  intros. apply (rising_right (spend least) (fun q => Z.min c (stepped ss last q / scale)));
    [apply spend_right | intros; apply spend_nonneg; assumption |].
  pose proof (steps_rise ss last H) as Hs.
  assert (rising (fun q => stepped ss last q / scale)) as Hd.
  { apply (rising_composes (stepped ss last) (fun v => v / scale)); [assumption | apply rounding_rises; reflexivity |].
    intros. apply rising_nonneg; assumption. }
  apply (rising_composes (fun q => stepped ss last q / scale) (Z.min c)); [assumption | apply cap_rises; assumption |].
  intros. apply (rising_nonneg (fun q => stepped ss last q / scale)); assumption.
Qed.

Theorem spend_bonus_right : forall least gs, Forall (fun g => 0 < fst g /\ 0 <= snd g) gs ->
  right (fun ls => goal gs (spend least ls)).
Proof. intros. apply rising_right; [apply spend_right | intros; apply spend_nonneg; assumption | apply goals_rise; assumption]. Qed.

Theorem stamps_right : forall least each reward most, 0 < each -> 0 <= reward -> 0 <= most ->
  right (fun ls => every each reward most (number least ls)).
Proof. intros. apply rising_right; [apply number_right | intros; apply number_nonneg | apply every_rises; assumption]. Qed.

(* Hold safety of any right value: what a basket has paid, less what it is worth if all
   that is known is posted, covers what posting any of it takes. *)
Theorem right_hold : forall value paid now part all, right value ->
  Forall sound now -> Forall sound part -> Forall sound all -> fewer part now -> fewer all part ->
  paid - value part <= Z.max 0 (paid - value all).
Proof. intros value paid now part all [Hm _ _ _] H1 H2 H3 H4 H5. specialize (Hm all part H3 H2 H5). lia. Qed.

(* A reward that falls as spend rises is not right: a return could pay. Programs of such
   terms are refused when they are read. *)
Theorem falling_is_wrong : exists f, f 0 = 0 /\ ~ rising f /\ ~ right (fun ls => f (spend 0 ls)).
Proof.
  exists (fun q => if q =? 1 then 1 else 0). split; [reflexivity |]. split.
  - intros [_ H]. specialize (H 1 2). simpl in H. lia.
  - intros [Hm _ _ _]. specialize (Hm [Line 1 0] [Line 2 0]). simpl in Hm.
    assert (1 <= 0); [| lia]. apply Hm; repeat constructor; simpl; lia.
Qed.
