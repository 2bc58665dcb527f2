// Compiled, not run: what CommonJS in TypeScript writes.
import { SupplierClient } from "supplier-client";

export const client = new SupplierClient({ profile: {}, credentials: {} });
