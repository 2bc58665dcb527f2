// Owns the component. Each message is one call, and blocks this thread until it has ended.
import { parentPort, workerData } from "node:worker_threads";
import { client } from "./generated/supplier_client.js";

const { profile, overrides, credentials } = workerData;
const supplier = client.Supplier.open(profile, overrides, credentials);

parentPort.on("message", ({ name, request, position }) => {
  try {
    const value = name === "page" ? supplier.page(request, position) : supplier.send(request);
    parentPort.postMessage({ value });
  } catch (error) {
    // jco throws the failure of a `result` as an error with a payload.
    if (!error.payload) throw error;
    parentPort.postMessage({ failure: error.payload });
  }
});
