// Where the built components are.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Path of a component: in the package, in the folder that SUPPLIER_COMPONENTS names, or in the checkout's target. */
export function component(name) {
  const folders = [
    join(root, "components"),
    process.env.SUPPLIER_COMPONENTS,
    join(root, "..", "..", "target", "components"),
  ];
  const paths = folders.filter(Boolean).map((folder) => join(folder, name));
  const found = paths.find((path) => existsSync(path));
  if (found) return found;
  throw new Error(`${name} is not there; run \`cargo xtask build\`. Looked for:\n  ${paths.join("\n  ")}`);
}
