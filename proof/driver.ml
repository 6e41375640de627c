(* Plays accounts, a line an event, and prints what the model leaves of each: balance,
   held, redeemed, and what it said to each redemption. *)

open Model

type account =
  | Rerate of { at_once : bool; model : Model.account }
  | Shares of { at_once : bool; pools : pool list; facts : fact list; announced : fact list;
                redeemed : int; adjusted : int }

let minimum = 0

let cap s = match int_of_string s with -1 -> None | c -> Some c

let opened method_ timing caps =
  let at_once = timing = "refund" in
  match method_ with
  | "rerate" ->
      Rerate { at_once; model = { buckets = List.map (fun c -> { cap = c; bought = [] }) caps;
                granted = List.map (fun _ -> 0) caps;
                facts = []; announced = []; balance = 0; redeemed = 0; adjusted = 0 } }
  | _ ->
      Shares { at_once; pools = List.map (fun c -> { limit = c; purchases = []; grants = [] }) caps;
               facts = []; announced = []; redeemed = 0; adjusted = 0 }

let sum = List.fold_left ( + ) 0

let balance = function
  | Rerate a -> a.model.balance
  | Shares s -> sum (List.map retainedBy s.pools) + s.adjusted - s.redeemed

let held = function
  | Rerate a -> rerateHeld a.model
  | Shares s -> let known = s.announced @ s.facts in sum (List.map (heldOf known) s.pools)

let redeemed = function Rerate a -> a.model.redeemed | Shares s -> s.redeemed

let id_of = function Returned (i, _, _) -> i | Whole (i, _) -> i | Undone i -> i

(* applied is the account after an event. *)
let applied account event =
  match account, event with
  | Rerate a, e -> Rerate { a with model = rerateStep a.at_once minimum a.model e }
  | Shares s, Buys (n, p) ->
      let buy = if s.at_once then buy else buyLater in
      Shares { s with pools = List.mapi (fun i b -> if i = n then buy s.facts p b else b) s.pools }
  | Shares s, Tells f ->
      let facts = f :: s.facts in
      Shares { s with facts; pools = if s.at_once then List.map (tell facts) s.pools else s.pools }
  | Shares s, Announces f -> Shares { s with announced = f :: s.announced }
  | Shares s, Cancels i -> Shares { s with announced = List.filter (fun f -> id_of f <> i) s.announced }
  | Shares s, Adjusts d -> Shares { s with adjusted = s.adjusted + d }
  | Shares s, Redeems r ->
      if r > 0 && balance account - held account - r >= minimum
      then Shares { s with redeemed = s.redeemed + r } else account
  | Shares s, Closes -> Shares { s with pools = List.map (tell s.facts) s.pools }

let event_of = function
  | [ "buy"; bucket; id; price; rate ] ->
      Buys (int_of_string bucket, { pid = int_of_string id; price = int_of_string price; prate = int_of_string rate })
  | [ "return"; id; of_; amount ] -> Tells (Returned (int_of_string id, int_of_string of_, int_of_string amount))
  | [ "whole"; id; of_ ] -> Tells (Whole (int_of_string id, int_of_string of_))
  | [ "undo"; id ] -> Tells (Undone (int_of_string id))
  | [ "announce"; id; of_; amount ] -> Announces (Returned (int_of_string id, int_of_string of_, int_of_string amount))
  | [ "cancel"; id ] -> Cancels (int_of_string id)
  | [ "redeem"; amount ] -> Redeems (int_of_string amount)
  | [ "close" ] -> Closes
  | [ "adjust"; amount ] -> Adjusts (int_of_string amount)
  | words -> failwith ("no such event: " ^ String.concat " " words)

let () =
  let account = ref None and said = Buffer.create 16 in
  let current () = match !account with Some a -> a | None -> failwith "no account is open" in
  try
    while true do
      match String.split_on_char ' ' (input_line stdin) with
      | "account" :: method_ :: timing :: caps ->
          Buffer.clear said;
          account := Some (opened method_ timing (List.map cap caps))
      | [ "end" ] ->
          let a = current () in
          Printf.printf "%d %d %d %s\n" (balance a) (held a) (redeemed a) (Buffer.contents said)
      | words ->
          let e = event_of words in
          let before = current () in
          let after = applied before e in
          (match e with
           | Redeems _ -> Buffer.add_char said (if redeemed after > redeemed before then '+' else '-')
           | _ -> ());
          account := Some after
    done
  with End_of_file -> ()
