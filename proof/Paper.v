(* The paper's Algorithms 1, 2 and 4 to the letter, and courses of events after which they
   leave what they should not: the gaps G1 to G7 of semantics.md, section 9. Amounts in
   cents, the rate 5 %, no cap, so that nothing below is a matter of rounding. *)

From Coq Require Import ZArith List Bool.
From Recoup Require Import Bucket Facts Account.
Import ListNotations.
Open Scope Z_scope.

Inductive status := PENDING | SETTLED | PART_REF | REFUNDED.

Definition isSettled (s : status) : bool := match s with SETTLED | PART_REF => true | _ => false end.
Definition isPending (s : status) : bool := match s with PENDING => true | _ => false end.

Record transaction := Tx {
  a : Z;             (* amount *)
  st : status;
  R : Z;             (* R[id] *)
  Rorig : Z;         (* R_orig[id] *)
  TotalRefunded : Z
}.

(* One account with one transaction is enough for every gap. *)
Record state := State { t : transaction; B : Z }.

Definition arrives (amount : Z) : state := State (Tx amount PENDING 0 0 0) 0.

(* Algorithm 1, RewardOnSettlement, on an amount (Algorithm 4 gives it another than t.a). *)
Definition RewardOnSettlement (s : state) (amount : Z) : state :=
  let r := amount * 5 / 100 in
  let x := t s in
  if 0 <? r
  then State (Tx (a x) SETTLED r r (TotalRefunded x)) (B s + r)
  else State (Tx (a x) SETTLED (R x) (Rorig x) (TotalRefunded x)) (B s).

Definition settle (s : state) : state := RewardOnSettlement s (a (t s)).

(* Algorithm 2, RewardOnRefund. *)
Definition RewardOnRefund (s : state) (x : Z) : state :=
  let y := t s in
  if negb (isSettled (st y)) then s
  else if (a y <? TotalRefunded y + x) || (x <=? 0) then s
  else
    let claw := x * Rorig y / a y in
    let total := TotalRefunded y + x in
    State (Tx (a y) (if total =? a y then REFUNDED else PART_REF) (R y - claw) (Rorig y) total) (B s - claw).

(* Algorithm 4, StatementCycleReconcile, for the period of the transaction, with what
   refunds are pending and which are late ones of periods before. *)
Definition Reconcile (s : state) (pending : option Z) : state :=
  let eligible := match pending with Some x => a (t s) - x | None => a (t s) end in
  if (0 <? eligible) && isPending (st (t s)) then RewardOnSettlement s eligible else s.

Definition Late (s : state) (x : Z) : state := if isSettled (st (t s)) then RewardOnRefund s x else s.

(* What this repository's meaning leaves of the same facts. *)
Definition due (amount : Z) (facts : list fact) : Z :=
  net (reversed facts) [Pool None [Purchase 1 amount (5 * 1000000)]].

Theorem settled_alone : B (settle (arrives 10000)) = 500 /\ due 10000 [] = 500.
Proof. split; reflexivity. Qed.

(* G1: a pending refund lowers the base and is never recorded. $100, $40 back before the
   close, $60 after it: $1.20 is kept on nothing. *)
Theorem G1 : B (Late (Reconcile (arrives 10000) (Some 4000)) 6000) = 120 /\ due 10000 [Returned 1 1 4000; Returned 2 1 6000] = 0.
Proof. split; reflexivity. Qed.

(* G2: a refund above what is left is refused, whole. *)
Theorem G2 : B (RewardOnRefund (settle (arrives 10000)) 10500) = 500 /\ due 10000 [Returned 1 1 10500] = 0.
Proof. split; reflexivity. Qed.

Theorem G2_parts : B (RewardOnRefund (RewardOnRefund (settle (arrives 10000)) 6000) 6000) = 200 /\
  due 10000 [Returned 1 1 6000; Returned 2 1 6000] = 0.
Proof. split; reflexivity. Qed.

(* G3: a refund that comes before its settlement is skipped. *)
Theorem G3 : B (settle (RewardOnRefund (arrives 10000) 10000)) = 500 /\ due 10000 [Returned 1 1 10000] = 0.
Proof. split; reflexivity. Qed.

(* G4: a settlement that is delivered twice grants twice, and a refund takes back one. *)
Theorem G4 : B (settle (settle (arrives 10000))) = 1000 /\ B (RewardOnRefund (settle (settle (arrives 10000))) 10000) = 500.
Proof. split; reflexivity. Qed.

(* G5: a refund that is delivered twice takes twice, from somebody who kept $60 worth. *)
Theorem G5 : B (RewardOnRefund (RewardOnRefund (settle (arrives 10000)) 4000) 4000) = 100 /\
  due 10000 [Returned 1 1 4000; Returned 1 1 4000] = 300.
Proof. split; reflexivity. Qed.

(* G6: the close nets what is pending of purchases that it grants, and forgets those that
   were granted as they settled. *)
Theorem G6 : B (Reconcile (settle (arrives 10000)) (Some 10000)) = 500 /\ due 10000 [Returned 1 1 10000] = 0.
Proof. split; reflexivity. Qed.

(* G7: what was returned in full before the close stays PENDING, whatever comes. *)
Theorem G7 : forall closes : list unit, st (t (fold_left (fun s _ => Reconcile s (Some 10000)) closes (arrives 10000))) = PENDING.
Proof.
  intros closes. assert (forall c, fold_left (fun s (_ : unit) => Reconcile s (Some 10000)) c (arrives 10000) = arrives 10000) as H.
  { induction c as [| u c IH]; [reflexivity | exact IH]. }
  rewrite H. reflexivity.
Qed.

(* So Reward Integrity does not hold of the algorithms as printed: there are courses of
   events after which the balance is above what is due. *)
Theorem printed_algorithms_leak : exists s amount facts, B s > due amount facts /\ due amount facts = 0.
Proof. exists (RewardOnRefund (settle (arrives 10000)) 10500), 10000, [Returned 1 1 10500]. split; reflexivity. Qed.
