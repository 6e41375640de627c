// Notes which document src/api is made of, so that a test without node sees whether it is of
// the one that there is.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const digest = createHash("sha256").update(readFileSync("../openapi.json")).digest("hex");
writeFileSync("src/api/document.sha256", `${digest}  openapi.json\n`);
