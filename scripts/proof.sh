#!/bin/sh
# Has Coq check the theorems of proof/, and that they rest on nothing but definitions:
# no axiom, nothing admitted. With an argument, builds the model that is extracted, there.
# Everything is made in $OUT/proof.
set -eu
out=${OUT:-out}/proof
model=${1:-}

if ! command -v coqc >/dev/null; then
	sudo=$(command -v sudo || :)
	$sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends coq >/dev/null || {
		echo "proof: coqc is not here, and Debian's package coq could not be installed" >&2
		exit 1
	}
fi

if grep -nwE 'Admitted|admit|Axiom|Axioms|Parameter|Conjecture' proof/*.v; then
	echo "proof: the lines above assume what they should prove" >&2
	exit 1
fi

rm -rf "$out" && mkdir -p "$out"
cp proof/*.v proof/driver.ml "$out"
cd "$out"
for file in Bucket Terms Proportional Facts Account Paper; do
	coqc -q -Q . Recoup "$file.v"
done
coqc -q -Q . Recoup Assumptions.v >assumptions.txt
if grep -vx 'Closed under the global context' assumptions.txt; then
	echo "proof: a theorem rests on what is said above" >&2
	exit 1
fi
echo "proof: $(grep -c . assumptions.txt) theorems checked by $(coqc --print-version | cut -d' ' -f1), no assumptions"

if [ -n "$model" ]; then
	coqc -q -Q . Recoup Extract.v >/dev/null
	ocamlfind ocamlopt -w -a -o "$model" model.mli model.ml driver.ml
fi
