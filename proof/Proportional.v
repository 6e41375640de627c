(* One bucket under clawback_method proportional (semantics.md, section 2; the paper's
   Algorithm 2): a purchase is granted once, cut at the room under the cap, and keeps of
   that grant the share that has not been returned. *)

From Coq Require Import ZArith List Lia.
From Recoup Require Import Bucket.
Import ListNotations.
Open Scope Z_scope.

(* A grant: made once and never changed, but for what of it is retained. *)
Record grant := Grant {
  amount : Z;   (* settled *)
  grate : Z;    (* the rate, in parts *)
  base : Z;     (* what the original reward was computed on *)
  original : Z; (* the reward as it was granted *)
  returned : Z; (* any allocation: 0 <= returned <= amount *)
  retained : Z  (* what is still granted *)
}.

Definition kept (g : grant) : Z := amount g - returned g.

(* target is what of a grant is due: the share of it that was not returned, rounded down;
   what was returned before the grant and came back earns the rate, where the cap had
   not cut. *)
Definition target (g : grant) : Z :=
  if base g <? kept g then
    if original g =? grate g * base g / scale then grate g * kept g / scale
    else original g
  else original g * kept g / base g.

Definition granted (g : grant) : Prop :=
  0 <= grate g /\ 0 < base g <= amount g /\ 0 <= returned g <= amount g /\
  0 <= original g /\ original g * scale <= grate g * base g.

(* Per-transaction bound of what is due: at most the rate on what is left. *)
Theorem target_bound : forall g, granted g -> 0 <= target g /\ target g * scale <= grate g * kept g.
Proof.
  intros g (Hr & Hb & Hx & Ho & Hcut). unfold target, kept in *. pose proof scale_pos.
  destruct (Z.ltb_spec (base g) (amount g - returned g)).
  - destruct (Z.eqb_spec (original g) (grate g * base g / scale)).
    + split; [apply Z.div_pos; nia |].
      pose proof (Z.mul_div_le (grate g * (amount g - returned g)) scale scale_pos). lia.
    + split; [lia | nia].
  - split; [apply Z.div_pos; nia |].
    assert (0 < base g) as Hp by lia.
    pose proof (Z.mul_div_le (original g * (amount g - returned g)) (base g) Hp).
    remember (original g * (amount g - returned g) / base g) as q.
    (* q base <= original kept and original scale <= rate base *)
    assert (q * base g * scale <= original g * (amount g - returned g) * scale) by nia.
    assert (original g * scale * (amount g - returned g) <= grate g * base g * (amount g - returned g)) by nia.
    nia.
Qed.

(* Full returns telescope: in however many parts, nothing is due of nothing kept. *)
Theorem target_nothing : forall g, granted g -> returned g = amount g -> target g = 0.
Proof.
  intros g (? & ? & ? & ? & ?) Hall. unfold target, kept. rewrite Hall, Z.sub_diag.
  destruct (Z.ltb_spec (base g) 0); [lia |]. rewrite Z.mul_0_r. apply Z.div_0_l. lia.
Qed.

Definition retain (g : grant) (r : Z) : grant :=
  Grant (amount g) (grate g) (base g) (original g) (returned g) r.

Definition allocate (g : grant) (x : Z) : grant :=
  Grant (amount g) (grate g) (base g) (original g) x (retained g).

Definition used (gs : list grant) : Z := sum (map retained gs).

(* lower takes what is not due any more; lift gives what is due again, by at most the
   room under the cap. Levelling does the first to all grants before the second to any. *)
Definition lower (g : grant) : grant := retain g (Z.min (retained g) (target g)).

Definition room (cap : option Z) (inuse missing : Z) : Z :=
  match cap with Some c => Z.min missing (Z.max 0 (c - inuse)) | None => missing end.

Fixpoint lift (cap : option Z) (inuse : Z) (gs : list grant) : list grant :=
  match gs with
  | [] => []
  | g :: rest =>
      let more := room cap inuse (target g - retained g) in
      retain g (retained g + more) :: lift cap (inuse + more) rest
  end.

Definition level (cap : option Z) (gs : list grant) : list grant :=
  let lowered := map lower gs in lift cap (used lowered) lowered.

(* settle grants a purchase: at the rate, cut at the room that is left under the cap. *)
Definition cut (cap : option Z) (inuse want : Z) : Z :=
  Z.max 0 (match cap with Some c => Z.min want (c - inuse) | None => want end).

Definition settle (cap : option Z) (amt rt bs x : Z) (gs : list grant) : list grant :=
  let o := cut cap (used gs) (rt * bs / scale) in
  gs ++ [Grant amt rt bs o x o].

(* What holds of a bucket at any time: each grant within its bounds, all within the cap. *)
Definition within (cap : option Z) (gs : list grant) : Prop :=
  Forall (fun g => granted g /\ 0 <= retained g) gs /\
  match cap with Some c => used gs <= c | None => True end.

(* What holds after levelling as well: nothing above what is due. *)
Definition levelled (gs : list grant) : Prop := Forall (fun g => retained g <= target g) gs.

Lemma target_retain : forall g r, target (retain g r) = target g.
Proof. reflexivity. Qed.

Lemma lower_within : forall gs, Forall (fun g => granted g /\ 0 <= retained g) gs ->
  Forall (fun g => granted g /\ 0 <= retained g /\ retained g <= target g) (map lower gs) /\ used (map lower gs) <= used gs.
Proof.
  unfold used. induction 1 as [| g gs [Hg Hr] _ [IH IHu]]; simpl; split; [constructor | lia | |].
  - constructor; [| assumption]. split; [exact Hg |].
    pose proof (target_bound g Hg). unfold lower. rewrite target_retain. simpl. lia.
  - pose proof (target_bound g Hg). lia.
Qed.

Lemma lift_within : forall cap gs inuse,
  Forall (fun g => granted g /\ 0 <= retained g /\ retained g <= target g) gs ->
  Forall (fun g => granted g /\ 0 <= retained g /\ retained g <= target g) (lift cap inuse gs).
Proof.
  induction gs as [| g gs IH]; intros inuse H; simpl; constructor; inversion H as [| ? ? (Hg & H0 & Hd) ?]; subst.
  - split; [exact Hg |]. rewrite target_retain. simpl. unfold room. destruct cap; lia.
  - apply IH. assumption.
Qed.

Lemma lift_used : forall cap gs inuse rest,
  inuse = rest + used gs -> match cap with Some c => inuse <= c | None => True end ->
  Forall (fun g => retained g <= target g) gs ->
  match cap with Some c => rest + used (lift cap inuse gs) <= c | None => True end.
Proof.
  unfold used. destruct cap as [c |]; [| trivial].
  induction gs as [| g gs IH]; intros inuse rest Hin Hc Hd; simpl in *; [lia |].
  inversion Hd; subst.
  set (by_ := Z.min (target g - retained g) (Z.max 0 (c - (rest + (retained g + sum (map retained gs)))))) in *.
  specialize (IH (rest + (retained g + sum (map retained gs)) + by_) (rest + retained g + by_)).
  assert (rest + retained g + by_ + sum (map retained (lift (Some c) (rest + (retained g + sum (map retained gs)) + by_) gs)) <= c).
  { apply IH; [lia | unfold by_; lia | assumption]. }
  lia.
Qed.

(* Levelling leaves a bucket within its cap, and nothing above what is due. *)
Theorem level_sound : forall cap gs, within cap gs -> within cap (level cap gs) /\ levelled (level cap gs).
Proof.
  intros cap gs [Hall Hcap]. unfold level.
  destruct (lower_within gs Hall) as [Hlow Hused].
  pose proof (lift_within cap (map lower gs) (used (map lower gs)) Hlow) as Hlift.
  split; [split |].
  - eapply Forall_impl; [| exact Hlift]. simpl. tauto.
  - pose proof (lift_used cap (map lower gs) (used (map lower gs)) 0) as Hl.
    destruct cap as [c |]; [| exact I]. rewrite Z.add_0_l in Hl. apply Hl; [lia | lia |].
    eapply Forall_impl; [| exact Hlow]. simpl. tauto.
  - eapply Forall_impl; [| exact Hlift]. simpl. tauto.
Qed.

Lemma used_app : forall gs g, used (gs ++ [g]) = used gs + retained g.
Proof. intros. unfold used. rewrite map_app, sum_app. simpl. lia. Qed.

(* A grant leaves it so too. *)
Theorem settle_sound : forall cap amt rt bs x gs, within cap gs -> 0 <= rt -> 0 < bs <= amt -> 0 <= x <= amt ->
  within cap (settle cap amt rt bs x gs).
Proof.
  intros cap amt rt bs x gs [Hall Hcap] Hr Hb Hx. unfold settle, cut.
  pose proof scale_pos. pose proof (Z.mul_div_le (rt * bs) scale scale_pos).
  assert (0 <= rt * bs / scale) by (apply Z.div_pos; nia).
  split.
  - apply Forall_app. split; [assumption |]. constructor; [| constructor]. unfold granted. simpl.
    destruct cap; simpl; repeat split; nia.
  - rewrite used_app. simpl. destruct cap; [| exact I]. lia.
Qed.

(* Events of a bucket: a purchase is granted, or facts change what is returned of each.
   After each the bucket is levelled. The allocation is anybody's. *)
Inductive event :=
| Settles (amt rt bs x : Z)
| Allocates (xs : list Z).

Fixpoint allocateAll (gs : list grant) (xs : list Z) : list grant :=
  match gs, xs with
  | g :: gs, x :: xs => allocate g (Z.max 0 (Z.min x (amount g))) :: allocateAll gs xs
  | gs, _ => gs
  end.

Definition valid (e : event) : Prop :=
  match e with Settles amt rt bs x => 0 <= rt /\ 0 < bs <= amt /\ 0 <= x <= amt | Allocates _ => True end.

Definition apply (cap : option Z) (gs : list grant) (e : event) : list grant :=
  level cap (match e with Settles amt rt bs x => settle cap amt rt bs x gs | Allocates xs => allocateAll gs xs end).

Lemma allocateAll_sound : forall cap gs xs, within cap gs -> within cap (allocateAll gs xs).
Proof.
  intros cap gs xs [Hall Hcap].
  assert (used (allocateAll gs xs) = used gs) as Hu.
  { clear. unfold used. revert xs. induction gs as [| g gs IH]; intros [| x xs]; simpl; auto. rewrite IH. reflexivity. }
  split; [| rewrite Hu; assumption]. clear Hu Hcap. revert xs.
  induction Hall as [| g gs [(? & ? & ? & ? & ?) ?] Hall IH]; intros [| x xs]; simpl; repeat constructor; auto; unfold granted in *; simpl in *; try lia.
Qed.

Theorem events_sound : forall cap es gs, within cap gs -> Forall valid es -> within cap (fold_left (apply cap) es gs).
Proof.
  induction es as [| e es IH]; intros gs Hw Hv; [assumption |].
  inversion Hv; subst. apply IH; [| assumption]. apply level_sound.
  destruct e; simpl in *; [apply settle_sound; tauto | apply allocateAll_sound; assumption].
Qed.

(* The lines of a bucket, as the entitlement counts them. *)
Definition lineOf (g : grant) : line := Line (kept g) (grate g).

Lemma levelled_below : forall gs, Forall granted gs -> levelled gs -> used gs * scale <= sum (map worth (map lineOf gs)).
Proof.
  unfold used, levelled. induction gs as [| g gs IH]; intros Hg Hl; simpl; [lia |].
  inversion Hg; inversion Hl; subst. destruct (target_bound g H1) as [_ Hb].
  specialize (IH H2 H6). unfold worth at 1. simpl. unfold kept in *. pose proof scale_pos. nia.
Qed.

(* Reward Integrity under proportional (the paper's section 4.1), by induction over the
   events of a bucket: after each, at most the entitlement on what is left. *)
Theorem proportional_integrity : forall cap es e, cap_sound cap -> Forall valid es -> valid e ->
  let gs := fold_left (apply cap) (es ++ [e]) [] in
  used gs * scale <= promised cap (map lineOf gs).
Proof.
  intros cap es e Hc Hes He gs.
  assert (within cap []) as H0 by (split; [constructor | destruct cap; simpl in *; [unfold used; simpl; lia | exact I]]).
  subst gs. rewrite fold_left_app. simpl. set (gs := fold_left (apply cap) es []).
  assert (within cap gs) as Hw by (apply events_sound; assumption).
  unfold apply. match goal with |- context [level cap ?x] => set (before := x) end.
  assert (within cap before) as Hb.
  { subst before. destruct e; simpl in *; [apply settle_sound; tauto | apply allocateAll_sound; assumption]. }
  destruct (level_sound cap before Hb) as [[Hall Hcap] Hl].
  assert (Forall granted (level cap before)) as Hg by (eapply Forall_impl; [| exact Hall]; simpl; tauto).
  pose proof (levelled_below _ Hg Hl). unfold promised. pose proof scale_pos.
  destruct cap; simpl in *; [apply Z.min_glb; [lia | nia] | lia].
Qed.

(* No double clawback: levelling twice takes nothing the second time. *)
Lemma map_lower_levelled : forall gs, levelled gs -> map lower gs = gs.
Proof.
  induction 1 as [| g gs H _ IH]; simpl; [reflexivity |]. rewrite IH. f_equal.
  destruct g. unfold lower, retain. simpl in *. f_equal. apply Z.min_l. exact H.
Qed.

Theorem level_takes_once : forall cap gs, within cap gs -> Forall2 (fun g g' => retained g <= retained g') (level cap gs) (level cap (level cap gs)).
Proof.
  intros cap gs Hw. destruct (level_sound cap gs Hw) as [_ Hl].
  set (once := level cap gs) in *. clearbody once. unfold level.
  rewrite map_lower_levelled by assumption. generalize (used once) as inuse.
  induction Hl as [| g rest Hg Hl IH]; intros inuse; simpl; constructor; auto.
  simpl. unfold room. destruct cap; lia.
Qed.
