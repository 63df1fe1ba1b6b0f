// What the server learned of users and events, read from its store on disk.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { eventually } from "./eventually.js";

// Node 20 has no SQLite of its own; Python's standard library has.
const READ = `
import json, sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db.row_factory = sqlite3.Row
print(json.dumps([dict(row) for row in db.execute(sys.argv[2], json.loads(sys.argv[3]))]))
`;

/** Waits until a query on the server's traffic.db answers, and gives the rows. */
export function stored(server, sql, ...values) {
  const file = path.join(server.dataDir, "traffic.db");
  return eventually(
    async () => {
      const args = ["-c", READ, file, sql, JSON.stringify(values)];
      const rows = JSON.parse((await promisify(execFile)("python3", args)).stdout);
      return rows.length > 0 && rows;
    },
    `${sql} ${JSON.stringify(values)}`,
  );
}
