// The dashboard in a real browser against a real daemon and worker: what is handed in appears by
// itself, is never lost by a restart, and is shown as what it is.
import assert from "node:assert/strict";
import {request} from "node:http";
import {mkdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {setTimeout as sleep} from "node:timers/promises";
import {PATIENCE_MS, World, browse, openPage, screenshot} from "./harness.mjs";

const VECTOR_ADD = "tests/corpus/vector_add/vector_add.cake";
const MARKUP = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script><b>bold</b>";
const REORDERED = "a\u202egnp.exe\u2066b\x1b[31m";
// Reads past the end of a ragged tail: the gates say where and offer the edit.
const WRONG = `program wrong target sm_80
dim N in 1..=1048576
in a: f32[N], b: f32[N]
out c: f32[N]
kernel add {
  grid (ceildiv(N, 256))
  role main: warps 8 {
    let i = cta*256 + thread
    st c[i] <- (ld a[i]) + (ld b[i])
  }
}
`;
const MANY = 120;  // more than two pages

const world = new World();
let browser, page;

before(async () => {
  await world.start();
  world.startWorker();
  browser = await browse();
  page = await openPage(browser);
});

after(async () => {
  await browser?.close();
  await world.close();
});

function submit(...words) {
  const done = world.cake("submit", VECTOR_ADD, "--workload", "vector_add", "--json", ...words);
  assert.equal(done.code, 0, done.err);
  return JSON.parse(done.out).candidate;
}

const row = (id) => page.locator(`tr[data-key="${id}"]`);
const overview = async () => {
  await page.getByRole("link", {name: "Overview"}).click();
  await page.getByRole("heading", {name: "Overview"}).waitFor();
};
const live = () => page.locator("#connection.live").waitFor();
const keys = () => page.locator("tr[data-key^='c-']").evaluateAll((rows) => rows.map((one) => one.dataset.key));

test("loads from the daemon alone", async () => {
  await page.goto(world.url + "/");
  await live();
  await page.getByText("No run yet").waitFor();
  assert.deepEqual(page.errors, []);
  assert.ok(page.requests.length >= 3);
  assert.deepEqual(page.requests.filter((url) => !url.startsWith(world.url + "/")), []);
  // Gone if the page were loaded again.
  await page.evaluate(() => { globalThis.loadedOnce = true; });
});

test("answers to loopback names only", async () => {
  for (const [host, status] of [["localhost", 200], ["[::1]:7421", 200], ["evil.example", 421], ["127.0.0.1.evil.example:7421", 421]]) {
    const answered = await new Promise((done, fail) => {
      request({host: "127.0.0.1", port: world.port, path: "/api/runs", headers: {Host: host}}, (answer) => {
        answer.resume();
        done(answer.statusCode);
      }).on("error", fail).end();
    });
    assert.equal(answered, status, host);
  }
});

test("a parameter that a page does not have is refused by name", async () => {
  for (const [path, said] of [["/api/runs?colour=red", "colour"], ["/api/runs?page_size=many", "page_size"],
    ["/api/findings?page_token=r-1", "page token"], ["/api/candidates?verdicts=GOOD", "verdicts"]]) {
    const answer = await fetch(world.url + path);
    assert.equal(answer.status, 400, path);
    assert.match(await answer.text(), new RegExp(said));
  }
  assert.equal((await fetch(world.url + "/api/nothing")).status, 404);
});

test("a candidate and its verdict appear by themselves", async () => {
  const candidate = submit("--param", "WARPS=4", "--param", "V=4", "--param", "REPEAT=1", "--intent", "four warps");
  await row(candidate).getByText("CORRECT").waitFor();
  assert.match(await row(candidate).innerText(), /four warps/);
  await page.locator("tr[data-key='r-1']").getByText("REPEAT=1 V=4 WARPS=4").waitFor();
  const run = await page.locator("tr[data-key='r-1']").innerText();
  assert.match(run, /µs predicted|ms predicted/);
  assert.doesNotMatch(await page.locator("body").innerText(), /speedup|measured\b(?!\.)/i);
  await screenshot(page, "live");
});

test("a rejection is shown at its line with its fix", async () => {
  await overview();
  const path = join(world.home, "wrong.cake");
  writeFileSync(path, WRONG);
  const done = world.cake("submit", path, "--workload", "vector_add", "--json");
  assert.equal(done.code, 1, done.err);
  const {candidate, report} = JSON.parse(done.out);
  const verdict = report.verdict.replace("VERDICT_", "");
  await row(candidate).getByText(verdict).waitFor();
  await row(candidate).getByRole("link", {name: candidate}).click();
  await page.getByRole("heading", {name: `Candidate ${candidate}`}).waitFor();
  for (const one of report.diagnostics) {
    const line = page.locator(`#L${one.primary.line}`);
    assert.match(await line.getAttribute("class"), /found/);
    const below = page.locator(`#L${one.primary.line} + tr.findings`);
    await below.getByText(one.code).first().waitFor();
    assert.ok((await below.innerText()).includes(one.message));
  }
  assert.ok(report.diagnostics.some((one) => one.fixes.length > 0));
  await page.locator(".finding .key", {hasText: "fix"}).first().waitFor();
  // What is well typed has a map, whatever the gates say of it.
  await page.getByRole("heading", {name: "kernel add"}).waitFor();
  await screenshot(page, "rejected");
});

test("a candidate against its parent: difference, map, lineage", async () => {
  await overview();
  const child = submit("--parent", "c-1-1", "--param", "WARPS=8", "--param", "V=2", "--param", "REPEAT=2", "--tactic", "wider");
  await row(child).getByText("CORRECT").waitFor();
  await row(child).getByRole("link", {name: child}).click();
  await page.getByText("The sources are equal.").waitFor();
  await page.getByRole("heading", {name: "kernel add"}).waitFor();
  await page.locator("svg.lineage").getByText("c-1-1").waitFor();
  const figures = await page.getByRole("region", {name: /^Members/}).innerText();
  assert.match(figures, /predicted/);
  assert.match(figures, /not measured/);
});

test("text of others is text", async () => {
  await overview();
  const markup = submit("--intent", MARKUP, "--param", "V=1", "--param", "REPEAT=1");
  const reordered = submit("--intent", REORDERED, "--param", "V=2", "--param", "REPEAT=1");
  await row(reordered).waitFor();
  await row(markup).waitFor();
  assert.ok((await row(markup).innerText()).includes(MARKUP));
  assert.ok((await row(reordered).innerText()).includes(String.raw`a\u202egnp.exe\u2066b\u001b[31m`));
  assert.equal(await page.locator("td img, td script, td b").count(), 0);
  assert.equal(await page.title(), "Cake");
});

test("a restart loses and repeats no row", async () => {
  await overview();
  const known = new Set(await keys());
  await world.kill();
  await page.locator("#connection.lost").waitFor();
  assert.deepEqual(new Set(await keys()), known, "what was read stays while the daemon is away");
  await world.start();
  for (const warps of [2, 4, 8]) known.add(submit("--intent", "after the restart", "--param", `WARPS=${warps}`, "--param", "V=1"));
  await live();
  for (const id of known) await row(id).waitFor();
  const rows = await keys();
  assert.equal(rows.length, new Set(rows).size);
  assert.ok(await page.evaluate(() => globalThis.loadedOnce === true), "the page was loaded again");
});

test("more rows than a page, a kill in between, older pages, a search", async () => {
  await page.getByRole("link", {name: "History"}).click();
  const names = [];
  for (let i = 0; i < MANY; ++i) {
    if (i === MANY / 2) {
      await world.kill();
      await world.start();
    }
    names.push(submit("--wait", "ack", "--intent", `number ${i}`, "--tactic", i % 2 ? "odd" : "even", "--param", "V=1", "--param", "WARPS=2", "--param", "REPEAT=1"));
  }
  await row(names[MANY - 1]).waitFor();
  const older = page.getByRole("button", {name: "show older"});
  for (let shown = (await keys()).length; await older.count() > 0; shown = (await keys()).length) {
    await older.click();
    await page.waitForFunction((n) => document.querySelectorAll("tr[data-key^='c-']").length > n, shown);
  }
  const rows = await keys();
  assert.equal(rows.length, new Set(rows).size);
  const total = (await world.api("/api/overview")).candidates.reduce((sum, one) => sum + Number(one.count), 0);
  assert.equal(rows.length, total);
  for (const id of names) assert.ok(rows.includes(id), id);
  // Rows below the first page follow too: each of them ends with a verdict.
  await page.waitForFunction(() => ![...document.querySelectorAll("tr[data-key^='c-']")].some((one) => one.innerText.includes("in work")),
    undefined, {timeout: PATIENCE_MS});
  await page.getByLabel("Tactic").fill("odd");
  await page.getByLabel("Tactic").press("Enter");
  await page.waitForFunction(() => [...document.querySelectorAll("tr[data-key^='c-'] td:nth-of-type(3)")].every((one) => one.textContent === "odd"));
  assert.match(page.url(), /tactic=odd/);
  await page.getByText("cake history candidates --tactic odd --format csv").waitFor();
  // Read from nothing, it is the same.
  await page.goto(page.url());
  await row(names[MANY - 1]).waitFor();
  assert.deepEqual(page.errors, []);
});

test("a tab that nobody looks at gives its connection back and misses nothing", async () => {
  const tab = await openPage(browser);
  const isStream = (request) => request.url().startsWith(`${world.url}/events?`);
  let streams = 0;
  tab.on("request", (request) => { streams += isStream(request) ? 1 : 0; });
  await tab.goto(world.url + "/");
  await tab.locator("#connection.live").waitFor();
  await tab.locator("tr[data-key]").first().waitFor();  // the first list is there: what comes later is no part of it
  const look = (hidden) => tab.evaluate((value) => {
    Object.defineProperty(document, "hidden", {value, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  const closed = tab.waitForEvent("requestfailed", isStream);
  await look(true);
  await closed;
  const before = streams;
  const id = submit("--param", "WARPS=2", "--intent", "while nobody looked");
  await sleep(1500);
  assert.equal(await tab.locator(`tr[data-key="${id}"]`).count(), 0);
  assert.equal(streams, before);
  await look(false);
  await tab.locator(`tr[data-key="${id}"]`).waitFor();
  assert.equal(streams, before + 1);
  assert.deepEqual(tab.errors, []);
  await tab.context().close();
});

test("the keyboard alone reaches the content and the pages", async () => {
  await page.goto(world.url + "/");
  await live();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "to the content");
  for (let i = 0; i < 3; ++i) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {name: "Runs", level: 1}).waitFor();
  await page.goBack();
  await page.getByRole("heading", {name: "Overview"}).waitFor();
});
