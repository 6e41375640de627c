(* An account under clawback_method rerate, step by step: facts arrive, levelling posts
   differences, redemptions are decided against what is held (semantics.md, sections 2, 5,
   6 and 7; the paper's Algorithms 2 to 4 as they are meant). *)

From Coq Require Import ZArith List Lia Permutation Bool.
From Recoup Require Import Bucket Facts.
Import ListNotations.
Open Scope Z_scope.

(* A bucket has a cap and its purchases in posting order. *)
Record bucket := Pool { cap : option Z; bought : list purchase }.

Definition purchase_sound (p : purchase) : Prop := 0 <= price p /\ 0 <= prate p.
Definition bucket_sound (b : bucket) : Prop := cap_sound (cap b) /\ Forall purchase_sound (bought b).

(* An allocation says how much of each purchase is returned. Where facts name their
   purchase it is Facts.reversed; of what names none, it may be anybody's guess. *)
Definition allocation := purchase -> Z.
Definition fair (x : allocation) : Prop := forall p, purchase_sound p -> 0 <= x p <= price p.

Definition lineOf (x : allocation) (p : purchase) : line := Line (price p - x p) (prate p).
Definition lines (x : allocation) (b : bucket) : list line := map (lineOf x) (bought b).
Definition fills (x : allocation) (b : bucket) : list Z := fill (cap b) (lines x b).
Definition total (x : allocation) (b : bucket) : Z := sum (fills x b).

(* entitled is the paper's E: what the terms promise on what was kept, in parts. *)
Definition entitled (x : allocation) (bs : list bucket) : Z := sum (map (fun b => promised (cap b) (lines x b)) bs).

Definition net (x : allocation) (bs : list bucket) : Z := sum (map (total x) bs).

Lemma lines_sound : forall x b, fair x -> bucket_sound b -> Forall sound (lines x b).
Proof.
  intros x b Hx [_ Hb]. unfold lines. rewrite Forall_map. eapply Forall_impl; [| exact Hb].
  intros p Hp. specialize (Hx p Hp). destruct Hp. unfold sound, lineOf. simpl. lia.
Qed.

(* Reward Integrity, of what levelling leaves (the paper's section 4.1). *)
Theorem net_integrity : forall x bs, fair x -> Forall bucket_sound bs -> net x bs * scale <= entitled x bs.
Proof.
  intros x bs Hx. unfold net, entitled. induction 1 as [| b bs Hb _ IH]; simpl; [lia |].
  pose proof (fill_integrity (lines x b) (cap b) (lines_sound x b Hx Hb) (proj1 Hb)).
  change (sum (fill (cap b) (lines x b))) with (total x b) in *. rewrite Z.mul_add_distr_r. lia.
Qed.

(* More returned, no more reward: bucket by bucket. *)
Lemma total_monotone : forall x y b, fair x -> fair y -> bucket_sound b -> (forall p, x p <= y p) -> total y b <= total x b.
Proof.
  intros x y b Hx Hy Hb H. unfold total, fills. apply fill_monotone; auto using lines_sound; [apply Hb |].
  unfold fewer, lines. induction (bought b); simpl; constructor; auto. simpl. specialize (H a). split; [reflexivity | lia].
Qed.

Lemma net_monotone : forall x y bs, fair x -> fair y -> Forall bucket_sound bs -> (forall p, x p <= y p) -> net y bs <= net x bs.
Proof.
  intros x y bs Hx Hy Hb H. unfold net. induction Hb; simpl; [lia |].
  pose proof (total_monotone x y x0 Hx Hy H0 H). lia.
Qed.

(* ---- The account ---- *)

Record account := Account {
  buckets : list bucket;
  granted : list Z;   (* what each bucket's purchases retain together, as it was posted *)
  facts : list fact;  (* delivered *)
  announced : list fact; (* to come: a return that the merchant has authorised *)
  balance : Z; redeemed : Z; adjusted : Z
}.

Section Steps.

(* How facts are allocated: any way that is fair. *)
Variable alloc : list fact -> allocation.
Hypothesis alloc_fair : forall fs, fair (alloc fs).

Definition due (a : account) : list Z := map (total (alloc (facts a))) (buckets a).

(* Levelling posts the difference, bucket by bucket. *)
Definition level (a : account) : account :=
  Account (buckets a) (due a) (facts a) (announced a) (balance a + (sum (due a) - sum (granted a))) (redeemed a) (adjusted a).

(* held is what each bucket has above what would be due if all that is known were posted. *)
Fixpoint excess (gs ds : list Z) : Z :=
  match gs, ds with g :: gs, d :: ds => Z.max 0 (g - d) + excess gs ds | _, _ => 0 end.

Definition known (a : account) : list fact := announced a ++ facts a.
Definition dueIfPosted (a : account) : list Z := map (total (alloc (known a))) (buckets a).
Definition held (a : account) : Z := excess (granted a) (dueIfPosted a).
Definition available (a : account) : Z := balance a - held a.

Inductive event :=
| Buys (place : nat) (p : purchase) (* into a bucket; the cycle decides which *)
| Tells (f : fact)
| Announces (f : fact)
| Cancels (id : Z) (* what was announced will not come *)
| Redeems (amount : Z)
| Adjusts (amount : Z)
| Closes.

Definition idOf (f : fact) : Z := match f with Returned id _ _ => id | Whole id _ => id | Undone id => id end.

Fixpoint putAt (n : nat) (p : purchase) (bs : list bucket) : list bucket :=
  match bs, n with
  | [], _ => []
  | b :: bs, O => Pool (cap b) (bought b ++ [p]) :: bs
  | b :: bs, S n => b :: putAt n p bs
  end.

(* A purchase is granted when it settles, what its bucket's cap has left by what was posted:
   that something of it, or of those before it, is to come back waits for levelling. *)
Definition grantOf (c : option Z) (g : Z) (p : purchase) : Z :=
  Z.max 0 (upto (less c g) (whole (Line (price p) (prate p)))).

Fixpoint grantAt (n : nat) (p : purchase) (bs : list bucket) (gs : list Z) : list Z :=
  match bs, gs, n with
  | b :: _, g :: gs, O => g + grantOf (cap b) g p :: gs
  | _ :: bs, g :: gs, S n => g :: grantAt n p bs gs
  | _, _, _ => gs
  end.

Lemma grantAt_length : forall bs gs n p, length (grantAt n p bs gs) = length gs.
Proof. induction bs as [| b bs IH]; intros [| g gs] [| n] p; simpl; auto. Qed.

(* What is granted takes the bucket to its cap at most, and never takes anything back. *)
Lemma grantOf_bound : forall c g p, 0 <= grantOf c g p /\ match c with Some m => g <= m -> g + grantOf c g p <= m | None => True end.
Proof. intros [m |] g p; unfold grantOf; simpl; lia. Qed.

(* atOnce: a return is posted when it is told; otherwise at the close (timing.clawback), or
   with a fact that does not wait (assumption A5), which is a close beside it. *)
Variable atOnce : bool.
Variable minimum : Z.

Definition settleUp (a : account) : account := if atOnce then level a else a.

Definition step (a : account) (e : event) : account :=
  match e with
  | Buys n p =>
      let gs := grantAt n p (buckets a) (granted a) in
      settleUp (Account (putAt n p (buckets a)) gs (facts a) (announced a) (balance a + (sum gs - sum (granted a))) (redeemed a) (adjusted a))
  | Tells f => settleUp (Account (buckets a) (granted a) (f :: facts a) (announced a) (balance a) (redeemed a) (adjusted a))
  | Announces f => Account (buckets a) (granted a) (facts a) (f :: announced a) (balance a) (redeemed a) (adjusted a)
  | Cancels id => Account (buckets a) (granted a) (facts a) (filter (fun f => negb (idOf f =? id)) (announced a)) (balance a) (redeemed a) (adjusted a)
  | Redeems r =>
      if (0 <? r) && (minimum <=? available a - r)
      then Account (buckets a) (granted a) (facts a) (announced a) (balance a - r) (redeemed a + r) (adjusted a)
      else a
  | Adjusts d => Account (buckets a) (granted a) (facts a) (announced a) (balance a + d) (redeemed a) (adjusted a + d)
  | Closes => level a
  end.

Definition valid (e : event) : Prop := match e with Buys _ p => purchase_sound p | _ => True end.

(* What holds after every event. Conservation is its second part. *)
Definition ok (a : account) : Prop :=
  Forall bucket_sound (buckets a) /\
  balance a = sum (granted a) + adjusted a - redeemed a /\
  length (granted a) = length (buckets a).

Lemma level_ok : forall a, ok a -> ok (level a).
Proof.
  intros a (Hb & Hc & Hl). unfold ok, level. simpl. repeat split; auto; [lia |].
  unfold due. rewrite map_length. reflexivity.
Qed.

Lemma settleUp_ok : forall a, ok a -> ok (settleUp a).
Proof. intros. unfold settleUp. destruct atOnce; auto using level_ok. Qed.

Lemma putAt_sound : forall n p bs, purchase_sound p -> Forall bucket_sound bs ->
  Forall bucket_sound (putAt n p bs) /\ length (putAt n p bs) = length bs.
Proof.
  intros n p bs Hp H. revert n. induction H as [| b bs [Hc Hb] H IH]; intros [| n]; simpl; split; auto;
    try (constructor; [| apply IH || assumption]); try (f_equal; apply IH).
  - split; [assumption |]. simpl. apply Forall_app. auto.
  - split; assumption.
Qed.

Theorem step_ok : forall a e, ok a -> valid e -> ok (step a e).
Proof.
  intros a e H He. destruct e; simpl in *.
  - apply settleUp_ok. destruct H as (Hb & Hc & Hl). destruct (putAt_sound place p (buckets a) He Hb).
    unfold ok. simpl. repeat split; auto; [lia | rewrite grantAt_length; congruence].
  - apply settleUp_ok, H.
  - exact H.
  - exact H.
  - destruct ((0 <? amount) && (minimum <=? available a - amount)); [| exact H].
    destruct H as (Hb & Hc & Hl). unfold ok. simpl. repeat split; auto. lia.
  - destruct H as (Hb & Hc & Hl). unfold ok. simpl. repeat split; auto. lia.
  - apply level_ok, H.
Qed.

Theorem steps_ok : forall es a, ok a -> Forall valid es -> ok (fold_left step es a).
Proof. induction es; intros a0 H Hv; simpl; auto. inversion Hv; subst. apply IHes; auto using step_ok. Qed.

(* Reward Integrity of any course of events, whatever the allocation: after levelling, net
   reward (balance + redeemed - adjusted) is at most E. *)
Theorem integrity : forall es a, ok a -> Forall valid es ->
  let b := level (fold_left step es a) in
  (balance b + redeemed b - adjusted b) * scale <= entitled (alloc (facts b)) (buckets b).
Proof.
  intros es a H Hv b. assert (ok (fold_left step es a)) as Ho by (apply steps_ok; assumption).
  destruct (level_ok _ Ho) as (Hb & Hc & _). fold b in Hb, Hc.
  pose proof (net_integrity (alloc (facts b)) (buckets b) (alloc_fair _) Hb).
  assert (sum (granted b) = net (alloc (facts b)) (buckets b)) by reflexivity.
  replace (balance b + redeemed b - adjusted b) with (net (alloc (facts b)) (buckets b)) by lia. assumption.
Qed.

(* Refund Reward Consistency (the paper's section 4.1). With clawback at the refund its
   delay is nothing: what is granted after an event is what is due by all that was told. *)
Theorem consistent_at_once : forall a f, atOnce = true -> granted (step a (Tells f)) = due (step a (Tells f)).
Proof. intros a f H. simpl. unfold settleUp. rewrite H. reflexivity. Qed.

(* With clawback at the statement nothing but a purchase's own grant is posted before the
   close: what is told changes no balance, *)
Theorem deferred : forall a f, atOnce = false ->
  granted (step a (Tells f)) = granted a /\ balance (step a (Tells f)) = balance a.
Proof. intros a f H. simpl. unfold settleUp. rewrite H. split; reflexivity. Qed.

(* and the delay is one cycle: so it is after the close. *)
Theorem consistent_at_close : forall a, granted (step a Closes) = due (step a Closes).
Proof. reflexivity. Qed.

(* No double clawback: what is level stays. *)
Theorem level_once : forall a, granted (level (level a)) = granted (level a) /\ balance (level (level a)) = balance (level a).
Proof. intros. split; [reflexivity |]. simpl. unfold due. simpl. lia. Qed.

(* ---- Holds ---- *)

Lemma excess_covers : forall gs ds, length gs = length ds -> sum gs - sum ds <= excess gs ds.
Proof.
  induction gs as [| g gs IH]; intros [| d ds] H; simpl in *; try lia.
  injection H as H. specialize (IH ds H). lia.
Qed.

Definition postAll (a : account) : account :=
  level (Account (buckets a) (granted a) (known a) [] (balance a) (redeemed a) (adjusted a)).

(* What can be redeemed is there when all that is known has been posted. *)
Theorem available_remains : forall a, ok a -> available a <= balance (postAll a).
Proof.
  intros a (Hb & Hc & Hl). unfold available, held, postAll, level. simpl.
  change (due _) with (dueIfPosted a).
  assert (length (granted a) = length (dueIfPosted a)) as E by (unfold dueIfPosted; rewrite map_length; assumption).
  pose proof (excess_covers _ _ E). lia.
Qed.

(* Hold safety: a redemption that is granted leaves at least the minimum, whatever of what
   is announced or deferred is posted after it. *)
Theorem hold_safety : forall a r, ok a -> step a (Redeems r) <> a -> minimum <= balance (postAll (step a (Redeems r))).
Proof.
  intros a r Ho. simpl. destruct ((0 <? r) && (minimum <=? available a - r)) eqn:E; [| congruence].
  intros _. apply andb_prop in E. destruct E as [_ E]. apply Z.leb_le in E.
  pose proof (available_remains a Ho) as H. unfold postAll, level in *. simpl in *.
  unfold due in *. simpl in *. unfold known in *. simpl in *. lia.
Qed.

End Steps.

(* ---- Facts that name their purchase ---- *)

Lemma reversed_fair : forall fs, fair (reversed fs).
Proof. intros fs p [Hp _]. apply reversed_bound. assumption. Qed.

(* Whatever part of what is announced is posted, and in whatever order, what was available
   remains: posting the rest could only take more. *)
Theorem part_posted : forall a gs, ok a ->
  incl (facts a) gs -> incl gs (known a) -> (forall id, In (Undone id) (announced a) -> In (Undone id) (facts a)) ->
  available reversed a <= balance (level reversed (Account (buckets a) (granted a) gs [] (balance a) (redeemed a) (adjusted a))).
Proof.
  intros a gs Ho Hi Hk Hu. pose proof (available_remains reversed a Ho) as H. eapply Z.le_trans; [exact H |].
  unfold postAll, level. simpl. unfold due. simpl. destruct Ho as (Hb & _).
  assert (net (reversed (known a)) (buckets a) <= net (reversed gs) (buckets a)) as Hm.
  { apply net_monotone; auto using reversed_fair. intros p. apply reversed_monotone; auto.
    intros id Hin. unfold known in Hin. apply in_app_or in Hin. destruct Hin; auto. }
  unfold net in Hm. lia.
Qed.

(* Order: the same purchases and facts, in any order and delivered any number of times, end
   in the same net reward. *)
Theorem order : forall bs bs' fs gs, Forall bucket_sound bs -> same fs gs ->
  Forall2 (fun b b' => cap b = cap b' /\ Permutation (bought b) (bought b')) bs bs' ->
  net (reversed fs) bs = net (reversed gs) bs'.
Proof.
  intros bs bs' fs gs Hb Hs H. unfold net. induction H as [| b b' bs bs' [Hc Hp] H IH]; [reflexivity |].
  inversion Hb; subst. simpl. rewrite IH by assumption. f_equal. unfold total, fills. rewrite <- Hc.
  assert (lines (reversed gs) b' = map (lineOf (reversed fs)) (bought b')) as ->.
  { unfold lines. apply map_ext. intros p. unfold lineOf. rewrite (reversed_order fs gs p Hs). reflexivity. }
  apply fill_order; [apply lines_sound; auto using reversed_fair | apply H2 |].
  unfold lines. apply Permutation_map. assumption.
Qed.

(* Monotonicity: a further return never raises net reward. *)
Theorem return_monotone : forall bs fs id of_ amt, Forall bucket_sound bs ->
  net (reversed (Returned id of_ amt :: fs)) bs <= net (reversed fs) bs.
Proof.
  intros. apply net_monotone; auto using reversed_fair. intros p. apply reversed_monotone.
  - intros f. simpl. auto.
  - intros i [Heq | Hin]; [discriminate | assumption].
Qed.

(* As if never bought: the same buckets with the purchases made net, and nothing returned,
   grant the same. *)
Definition netted (x : allocation) (b : bucket) : bucket :=
  Pool (cap b) (map (fun p => Purchase (pid p) (price p - x p) (prate p)) (bought b)).

Theorem as_if_never_bought : forall x bs, net x bs = net (fun _ => 0) (map (netted x) bs).
Proof.
  intros. unfold net. rewrite map_map. f_equal. apply map_ext. intros b. unfold total, fills, lines, netted. simpl.
  f_equal. f_equal. rewrite map_map. apply map_ext. intros p. unfold lineOf. simpl. f_equal. lia.
Qed.

(* and those of which nothing is left may be left out altogether. *)
Theorem nothing_left_out : forall x b, fair x -> bucket_sound b ->
  total x b = sum (fill (cap b) (filter (fun l => 0 <? left l) (lines x b))).
Proof. intros. apply fill_without; [apply lines_sound; assumption | apply H0]. Qed.

(* Telescoping: when every purchase has come back in full, in however many parts, the net
   reward is zero. *)
Theorem telescoping : forall fs bs, Forall bucket_sound bs ->
  Forall (fun b => Forall (fun p => price p <= home fs p) (bought b)) bs -> net (reversed fs) bs = 0.
Proof.
  intros fs bs Hb H. unfold net. induction H as [| b bs Hh H IH]; [reflexivity |].
  inversion Hb; subst. simpl. rewrite IH by assumption. rewrite Z.add_0_r. unfold total, fills.
  apply fill_nothing; [apply H2 |]. unfold lines. rewrite Forall_map. eapply Forall_impl; [| exact Hh].
  intros p Hp. simpl. rewrite returned_in_full by assumption. lia.
Qed.
