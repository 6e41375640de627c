(* The model, as a program in OCaml that is run beside the engine. *)

From Coq Require Import ZArith List Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.
From Recoup Require Import Bucket Proportional Facts Account.
Import ListNotations.
Open Scope Z_scope.

(* Under rerate: an account whose facts name their purchases. *)
Definition rerateStep := step reversed.
Definition rerateHeld := held reversed.

(* Under proportional: a bucket's grants beside its purchases. Each event is one of
   Proportional.event, whose theorems hold of any sequence of them. *)
Record pool := Shares { limit : option Z; purchases : list purchase; grants : list grant }.

Definition buy (facts : list fact) (p : purchase) (b : pool) : pool :=
  Shares (limit b) (purchases b ++ [p])
    (apply (limit b) (grants b) (Settles (price p) (prate p) (price p) (reversed facts p))).

Definition tell (facts : list fact) (b : pool) : pool :=
  Shares (limit b) (purchases b) (apply (limit b) (grants b) (Allocates (map (reversed facts) (purchases b)))).

Definition retainedBy (b : pool) : Z := used (grants b).

(* Where what comes back waits for the close, a purchase is granted and nothing is levelled. *)
Definition buyLater (facts : list fact) (p : purchase) (b : pool) : pool :=
  Shares (limit b) (purchases b ++ [p]) (settle (limit b) (price p) (prate p) (price p) (reversed facts p) (grants b)).

(* held is what of each grant would not be due any more if all were posted. *)
Definition heldOf (facts : list fact) (b : pool) : Z :=
  sum (map (fun pg => Z.max 0 (retained (snd pg) - target (allocate (snd pg) (reversed facts (fst pg)))))
    (combine (purchases b) (grants b))).

Extraction "model.ml" rerateStep rerateHeld available buy buyLater tell retainedBy heldOf.
