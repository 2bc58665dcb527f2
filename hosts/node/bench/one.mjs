// Measures one peer in a process of its own: `node one.mjs PEER URL cold|warm`. Prints one line of JSON.
import { peers } from "./peers.mjs";

const [peer, url, how] = process.argv.slice(2);
const { post, pages } = await peers[peer](url);
const run = Math.floor(Math.random() * 9_000) * 10_000;
if (how === "cold") {
  await post(run);
  // Since the process was born, loading included.
  console.log(JSON.stringify({ cold_ms: performance.now(), rss_mb: process.memoryUsage.rss() / 1e6 }));
  process.exit();
}

const rounds = 5;
const posts = 1_000;
let n = run;
for (let i = 0; i < 1_000; i++) await post(n++);
const perPost = [];
for (let round = 0; round < rounds; round++) {
  perPost.push(
    await measured(posts, async () => {
      for (let i = 0; i < posts; i++) await post(n++);
    }),
  );
}
const perPage = [];
for (let round = 0; round < rounds; round++) {
  let count = 0;
  const walked = await measured(1, async () => {
    for await (const items of pages()) count += items.length / 100;
  });
  perPage.push({ cpu: walked.cpu / count, wall: walked.wall / count });
}
const eight = await measured(8 * 500, () =>
  Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 500; i++) await post(n++);
    }),
  ),
);
console.log(
  JSON.stringify({
    post_us: median(perPost),
    page_us: median(perPage),
    eight_at_once_us: eight,
    rss_mb: process.memoryUsage.rss() / 1e6,
  }),
);
process.exit();

async function measured(calls, work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / calls, wall: ((performance.now() - start) * 1000) / calls };
}

function median(all) {
  const middle = (of) => all.map(of).sort((a, b) => a - b)[all.length >> 1];
  return { cpu: middle(({ cpu }) => cpu), wall: middle(({ wall }) => wall) };
}
