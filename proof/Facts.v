(* Facts about purchases, and what of each purchase they return (semantics.md, section 5:
   home). Facts come in any order and as often as they like: what they mean together is a
   function of the set of them. *)

From Coq Require Import ZArith List Lia Permutation Bool.
From Recoup Require Import Bucket.
Import ListNotations.
Open Scope Z_scope.

Record purchase := Purchase { pid : Z; price : Z; prate : Z }.

(* A fact has an id of its own. A chargeback that names no amount and the withdrawal of a
   clearing return the whole. *)
Inductive fact :=
| Returned (id of amount : Z)
| Whole (id of : Z)
| Undone (id : Z).

Definition fact_dec : forall f g : fact, {f = g} + {f <> g}.
Proof. decide equality; apply Z.eq_dec. Defined.

Definition undone (fs : list fact) (id : Z) : bool :=
  existsb (fun f => match f with Undone i => i =? id | _ => false end) fs.

(* takes is what an active fact returns of a purchase. *)
Definition takes (p : purchase) (f : fact) : Z :=
  match f with
  | Returned _ of_ a => if of_ =? pid p then Z.max 0 a else 0
  | Whole _ of_ => if of_ =? pid p then Z.max 0 (price p) else 0
  | Undone _ => 0
  end.

Definition active (fs : list fact) (f : fact) : bool :=
  match f with Returned id _ _ => negb (undone fs id) | Whole id _ => negb (undone fs id) | Undone _ => false end.

(* told is the facts that count, each once, however often it was delivered. *)
Definition told (fs : list fact) : list fact := filter (active fs) (nodup fact_dec fs).

Definition home (fs : list fact) (p : purchase) : Z := sum (map (takes p) (told fs)).

(* reversed is never above the price, whatever is returned: an over-refund is not refused. *)
Definition reversed (fs : list fact) (p : purchase) : Z := Z.min (price p) (home fs p).

Lemma takes_nonneg : forall p f, 0 <= takes p f.
Proof. intros p [? ? ? | ? ? | ?]; simpl; try destruct (_ =? _); lia. Qed.

Lemma home_nonneg : forall fs p, 0 <= home fs p.
Proof.
  intros. apply sum_nonneg. rewrite Forall_forall. intros x H. apply in_map_iff in H.
  destruct H as [f [<- _]]. apply takes_nonneg.
Qed.

Theorem reversed_bound : forall fs p, 0 <= price p -> 0 <= reversed fs p <= price p.
Proof. intros. unfold reversed. pose proof (home_nonneg fs p). lia. Qed.

(* ---- Order and redelivery ---- *)

Definition same (fs gs : list fact) : Prop := forall f, In f fs <-> In f gs.

Lemma undone_in : forall fs id, undone fs id = true <-> In (Undone id) fs.
Proof.
  intros. unfold undone. rewrite existsb_exists. split.
  - intros [[? ? ? | ? ? | i] [Hin He]]; try discriminate. apply Z.eqb_eq in He. subst. assumption.
  - intros. exists (Undone id). split; [assumption | apply Z.eqb_refl].
Qed.

Lemma undone_same : forall fs gs id, same fs gs -> undone fs id = undone gs id.
Proof.
  intros fs gs id H. destruct (undone fs id) eqn:E; destruct (undone gs id) eqn:E'; auto.
  - apply undone_in, H, undone_in in E. congruence.
  - apply undone_in, H, undone_in in E'. congruence.
Qed.

Lemma active_same : forall fs gs f, same fs gs -> active fs f = active gs f.
Proof. intros fs gs [? ? ? | ? ? | ?] H; simpl; auto; rewrite (undone_same fs gs _ H); reflexivity. Qed.

Lemma told_permutation : forall fs gs, same fs gs -> Permutation (told fs) (told gs).
Proof.
  intros fs gs H. unfold told. apply NoDup_Permutation; try (apply NoDup_filter; apply NoDup_nodup).
  intros f. rewrite !filter_In, !nodup_In, (active_same fs gs f H), (H f). reflexivity.
Qed.

(* Order independence of what is returned, and with it no double clawback: the same facts
   in another order, or delivered again, return the same. *)
Theorem reversed_order : forall fs gs p, same fs gs -> reversed fs p = reversed gs p.
Proof.
  intros. unfold reversed, home. f_equal. apply sum_permutation, Permutation_map, told_permutation. assumption.
Qed.

Theorem reversed_again : forall fs f p, In f fs -> reversed (f :: fs) p = reversed fs p.
Proof. intros. apply reversed_order. intros g. simpl. split; [intros [<- | ?]; auto | auto]. Qed.

(* ---- Monotonicity ---- *)

Lemma sum_incl : forall (g : fact -> Z) l l', (forall f, 0 <= g f) -> NoDup l -> incl l l' -> sum (map g l) <= sum (map g l').
Proof.
  intros g l. induction l as [| f l IH]; intros l' Hg Hn Hi; simpl.
  - apply sum_nonneg. rewrite Forall_forall. intros x H. apply in_map_iff in H. destruct H as [y [<- _]]. apply Hg.
  - inversion Hn as [| ? ? Hnot Hn']; subst. destruct (in_split f l' (Hi f (or_introl eq_refl))) as [l1 [l2 ->]].
    assert (incl l (l1 ++ l2)) as Hi'.
    { intros y Hy. specialize (Hi y (or_intror Hy)). apply in_app_or in Hi. apply in_or_app.
      destruct Hi as [? | [-> | ?]]; auto. contradiction. }
    specialize (IH (l1 ++ l2) Hg Hn' Hi'). rewrite map_app, sum_app in *. simpl. lia.
Qed.

(* A fact that undoes nothing returns more of a purchase, or as much. *)
Theorem reversed_monotone : forall fs gs p, incl fs gs -> (forall id, In (Undone id) gs -> In (Undone id) fs) ->
  reversed fs p <= reversed gs p.
Proof.
  intros fs gs p Hi Hu. unfold reversed, home.
  assert (sum (map (takes p) (told fs)) <= sum (map (takes p) (told gs))); [| lia].
  apply sum_incl; [apply takes_nonneg | apply NoDup_filter, NoDup_nodup |].
  intros f. unfold told. rewrite !filter_In, !nodup_In. intros [Hin Ha]. split; [auto |].
  assert (forall id, undone fs id = undone gs id) as E.
  { intros id. destruct (undone fs id) eqn:E; destruct (undone gs id) eqn:E'; auto.
    - apply undone_in, Hi, undone_in in E. congruence.
    - apply undone_in, Hu, undone_in in E'. congruence. }
  destruct f; simpl in *; auto; rewrite <- E; assumption.
Qed.

(* ---- Telescoping ---- *)

(* Returned in full, in however many parts, nothing of a purchase is left. *)
Theorem returned_in_full : forall fs p, price p <= home fs p -> reversed fs p = price p.
Proof. intros. unfold reversed. lia. Qed.
