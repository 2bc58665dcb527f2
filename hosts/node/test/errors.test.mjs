// Each way in which a call can fail: the class, the code, what it carries, and what reached the supplier.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  BadResponseError,
  DeniedError,
  InternalError,
  InvalidRequestError,
  ProfileError,
  SupplierClient,
  SupplierError,
  ThrottledError,
  UnavailableError,
  UnknownOutcomeError,
} from "supplier-client";
import { ACME, acme, freePort, OK, rawServer } from "./support.mjs";

const POST = { method: "POST", target: "/orders", json: { number: "A-1" } };
const answer = (status, headers = "", body = "") =>
  `HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** The error of a promise that must fail. */
async function thrown(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  assert.fail("it did not fail");
}

test("a supplier that is down is unavailable, after every attempt", async (t) => {
  const client = acme(t, `http://127.0.0.1:${await freePort()}`);
  const error = await thrown(client.send(POST));
  assert.ok(error instanceof UnavailableError && error instanceof SupplierError && error instanceof Error);
  assert.deepEqual(
    [error.name, error.kind, error.code],
    ["UnavailableError", "unavailable", "connection-refused"],
  );
  assert.equal(error.journal.attempts.length, 4);
  assert.equal(error.journal.attempts[0].phase, "not-sent");
  assert.equal(error.journal.attempts[0].detail, "ECONNREFUSED");
});

test("an order without a key is sent once when nobody knows what came of it", async (t) => {
  const server = await rawServer(t, (_, socket) => void socket.destroy());
  const error = await thrown(acme(t, server.url).send(POST));
  assert.ok(error instanceof UnknownOutcomeError);
  assert.deepEqual([error.code, error.response], ["maybe-applied", undefined]);
  assert.equal(server.requests.length, 1);
});

test("an error carries the response, and its body was read", async (t) => {
  const server = await rawServer(t, () => answer(500, "X-Request-Id: r-1\r\n", '{"oops":true}'));
  const error = await thrown(acme(t, server.url).send(POST));
  assert.ok(error instanceof UnknownOutcomeError);
  assert.equal(error.status, 500);
  assert.equal(error.response.status, 500);
  assert.deepEqual(error.response.json(), { oops: true });
  assert.equal(server.requests.length, 1);
});

test("a wait that is too long is not begun, and the error says when to come back", async (t) => {
  const server = await rawServer(t, () => answer(429, "Retry-After: 3600\r\n", "slow down"));
  const error = await thrown(acme(t, server.url).send(POST));
  assert.ok(error instanceof ThrottledError);
  assert.deepEqual(
    [error.code, error.retryAfterMs, error.response.text()],
    ["wait-too-long", 3_600_000, "slow down"],
  );
  const impatient = await rawServer(t, () => answer(503));
  const short = await thrown(acme(t, impatient.url).send({ target: "/", maxWaitMs: 0 }));
  assert.deepEqual([short.code, impatient.requests.length], ["wait-too-long", 1]);
});

test("a 401 is an answer: sent once, handed over", async (t) => {
  const server = await rawServer(t, () => answer(401, "", "stale"));
  const reply = await acme(t, server.url).send(POST);
  assert.deepEqual([reply.ok, reply.verdict, reply.status, reply.text()], [false, "rejected", 401, "stale"]);
  assert.equal(server.requests.length, 1);
});

test("the last answer is handed over when the attempts are spent", async (t) => {
  const server = await rawServer(t, (_, __, n) => answer(503, "", `no ${n}`));
  const reply = await acme(t, server.url).send({ target: "/" });
  assert.deepEqual([reply.verdict, reply.text(), server.requests.length], ["exhausted", "no 4", 4]);
});

test("what is no page is an error", async (t) => {
  const server = await rawServer(t, (request) =>
    request.includes("/denied") ? answer(404, "", "nothing here") : answer(200, "", "<html>"),
  );
  const client = acme(t, server.url);
  const denied = await thrown(client.page({ target: "/denied" }));
  assert.ok(denied instanceof DeniedError);
  assert.equal(denied.response.text(), "nothing here");
  const bad = await thrown(client.items({ target: "/bad" }).next());
  assert.ok(bad instanceof BadResponseError);
  assert.equal(bad.response.text(), "<html>");
  const foreign = await thrown(client.page({ target: "/bad" }, "no position of ours"));
  assert.ok(foreign instanceof InvalidRequestError);
});

test("a request that cannot be sent is refused before anything is", async (t) => {
  const server = await rawServer(t);
  const client = acme(t, server.url);
  for (const [request, code] of [
    [{ target: "orders" }, "invalid-path"],
    [{ target: "/a/../b" }, "invalid-path"],
    [{ target: "/", headers: { host: "x" } }, "reserved-header"],
    [{ target: "/", headers: { "X-Signature": "x" } }, "reserved-header"],
    [{ target: "/", headers: { "x-a": "b\r\nc: d" } }, "invalid-header"],
    [{ target: "/", deadlineMs: 0 }, "invalid-request"],
    [{ target: "/", operation: "none" }, "invalid-request"],
    [{ target: "/", method: "G T" }, "invalid-request"],
    [{ target: "/", method: "get" }, "invalid-request"],
  ]) {
    const error = await thrown(client.send(request));
    assert.ok(error instanceof InvalidRequestError, `${JSON.stringify(request)}: ${error}`);
    assert.equal(error.code, code, JSON.stringify(request));
  }
  assert.equal(server.requests.length, 0);
});

test("a profile's mistakes come all at once; a missing credential is named", () => {
  const profile = { ...ACME, base_url: "ftp://x", retri: {} };
  assert.throws(
    () => new SupplierClient({ profile, credentials: { other: "s3cret" } }),
    (error) => {
      assert.ok(error instanceof ProfileError);
      assert.ok(error.problems.some(({ pointer }) => pointer === "/base_url"));
      assert.ok(error.problems.some(({ pointer, code }) => pointer === "/retri" && code === "unknown-key"));
      assert.match(error.message, /\n {2}\/base_url: .*https/);
      assert.ok(!inspect(error).includes("s3cret"));
      return true;
    },
  );
  assert.throws(() => new SupplierClient({ profile: ACME }), /signing-secret/);
  assert.throws(() => new SupplierClient({ profile: "{" }), ProfileError);
});

test("credentials are rotated whole; bad ones leave the old in force", async (t) => {
  const server = await rawServer(t);
  const client = acme(t, server.url);
  const signature = async () => {
    await client.send({ target: "/" });
    const [, time, hex] = /X-Signature: t=(\d+),v1=([0-9a-f]+)/i.exec(server.requests.at(-1));
    return { time, hex };
  };
  const { createHmac } = await import("node:crypto");
  const by = (secret, { time, hex }) => createHmac("sha256", secret).update(`${time}.`).digest("hex") === hex;
  assert.ok(by("test_secret_a", await signature()));
  assert.throws(() => client.setCredentials({}), ProfileError);
  assert.ok(by("test_secret_a", await signature()));
  client.setCredentials({ "signing-secret": "test_secret_b" });
  assert.ok(by("test_secret_b", await signature()));
});

test("secrets, paths and bodies stand in nothing that is printed", async (t) => {
  const server = await rawServer(t, () => answer(500, "", "secret-answer"));
  const printed = [];
  const print = (told) => printed.push(inspect(told, { depth: 9, showHidden: true }));
  const client = acme(t, server.url, { onAttempt: print, onWait: print, onJournal: print });
  const request = {
    method: "POST",
    target: "/secret-path",
    query: { a: "secret-query" },
    body: "secret-body",
  };
  const error = await thrown(client.send(request));
  print(client);
  printed.push(inspect(error), String(error), JSON.stringify(error), error.stack);
  for (const text of printed) assert.doesNotMatch(text, /secret/);
  assert.ok(!JSON.stringify(client.explain(request)).includes("test_secret_a"));
});

test("a hook that throws becomes a warning and changes nothing", async (t) => {
  const server = await rawServer(t);
  const warned = new Promise((resolve) => process.once("warning", resolve));
  const client = acme(t, server.url, {
    onAttempt: () => {
      throw new Error("hook");
    },
  });
  assert.ok((await client.send({ target: "/" })).ok);
  assert.equal((await warned).message, "hook");
});

test("a transport that rejects, or hangs, may have sent the request", { timeout: 5_000 }, async (t) => {
  const rejecting = { send: () => Promise.reject(new Error("x")) };
  const rejected = await thrown(acme(t, "http://127.0.0.1:1", { transport: rejecting }).send(POST));
  assert.deepEqual([rejected.kind, rejected.code], ["unknown-outcome", "maybe-applied"]);
  const hanging = { send: () => new Promise(() => {}) };
  const overrides = { retry: { attempt_timeout_ms: 100, max_attempts: 2 } };
  const hung = await thrown(
    acme(t, "http://127.0.0.1:1", { transport: hanging, overrides }).send({ target: "/" }),
  );
  assert.deepEqual([hung.kind, hung.code], ["unavailable", "attempt-timeout"]);
});

test("after a trap the call says so, and the next one has a fresh engine", async (t) => {
  const server = await rawServer(t, () => OK);
  let broken = true;
  // Stands for a defect of the engine: what it is told here, no transport would tell.
  const transport = {
    send: async () => {
      if (!broken) return { answered: true, status: 200, headers: [], body: new Uint8Array() };
      broken = false;
      const codes = ["what is checked"];
      return {
        answered: false,
        phase: "not-sent",
        get code() {
          return codes.pop() ?? Symbol("what is told");
        },
      };
    },
  };
  const client = acme(t, server.url, { transport });
  const error = await thrown(client.send({ target: "/" }));
  assert.ok(error instanceof InternalError);
  assert.equal(error.code, "engine-trap");
  assert.ok((await client.send({ target: "/" })).ok);
});
