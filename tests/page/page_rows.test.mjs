// Each page with 0, 1 and 10,000 rows of demo data, in both colour schemes, after a restart of the
// daemon under it: it shows them, says nothing on the console, has no serious finding of axe-core.
// How long the first content takes is reported, not asserted: the machine may be busy. With CAKE_PAGE_TIMES=FILE the times
// are medians of five, and the daemon is restarted under every number of rows; without, under the most.
import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {writeFileSync} from "node:fs";
import {World, browse, openPage, screenshot, seriousFindings} from "./harness.mjs";

const TIMES = process.env.CAKE_PAGE_TIMES ? 5 : 1;
const ROWS = (process.env.CAKE_PAGE_ROWS ?? "0,1,10000").split(",").map(Number);
const timings = [];
let browser;

before(async () => { browser = await browse(); });
after(async () => {
  await browser?.close();
  const table = timings.map(({rows, name, ms}) => ({rows, page: name, median_ms: ms}));
  console.log(`first content, median of ${TIMES}:\n${table.map((one) => `  ${one.page}, ${one.rows} rows: ${one.median_ms} ms`).join("\n")}`);
  if (process.env.CAKE_PAGE_TIMES) writeFileSync(process.env.CAKE_PAGE_TIMES, JSON.stringify(table, null, 1) + "\n");
});

/** Pages with the selector that says that their content is there, and how many rows the first page of it has. */
function pages(seeded, rows) {
  const first = Math.min(rows, 50);
  const list = (path, name, key) => ({path, name, ready: rows === 0 ? ".empty" : `tr[data-key^="${key}"]`, count: first, key});
  const all = [
    {path: "/", name: "overview", ready: ".tiles"},
    list("/runs", "runs", "r-"),
    list("/experiments", "experiments", "demo-"),
    list("/history", "history", "c-"),
    list("/findings", "findings", "f-"),
    list("/proposals", "proposals", "p-"),
    list("/devices", "devices", "demo-"),
    {path: "/compare", name: "compare", ready: "h1"},
  ];
  if (rows === 0) return all;
  return [...all,
    {path: "/runs/r-1", name: "run", ready: ".plot canvas, .plot .u-wrap"},
    {path: `/candidates/${seeded.best}`, name: "candidate", ready: "table.source tr"},
    {path: "/findings/f-1", name: "finding", ready: "table.source tr"},
    {path: "/proposals/p-1", name: "proposal", ready: "table.source tr"},
    {path: "/experiments/demo-rmsnorm-00001", name: "experiment", ready: "tr[data-key^='r-']"},
  ];
}

/** From the start of the navigation to the content, in the page's own clock. */
async function firstContent(page, url, ready) {
  await page.goto(url, {waitUntil: "commit"});
  await page.locator(ready).first().waitFor();
  return page.evaluate(() => Math.round(performance.now()));
}

/** How many rows there are once no more come. */
async function settled(page) {
  for (let before = -1; ;) {
    const now = await page.locator("tr[data-key]").count();
    if (now === before) return now;
    before = now;
    await page.waitForTimeout(1000);
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

for (const rows of ROWS) {
  test(`pages with ${rows} rows`, async (t) => {
    const world = new World();
    t.after(() => world.close());
    const done = world.cake("demo", "seed", "--rows", String(rows), "--data-dir", world.home, "--json");
    assert.equal(done.code, 0, done.err);
    const seeded = JSON.parse(done.out);
    assert.equal(seeded.candidates, rows);
    await world.start();
    const page = await openPage(browser, {colorScheme: "light"});
    const dark = await openPage(browser, {colorScheme: "dark"});

    for (const {path, name, ready, count, key} of pages(seeded, rows)) {
      await t.test(name, async () => {
        const times = [];
        for (let i = 0; i < TIMES; ++i) times.push(await firstContent(page, world.url + path, ready));
        timings.push({rows, name, ms: median(times)});
        await page.locator("#connection.live").waitFor();
        await page.getByText("This store holds demo data").waitFor();
        if (count !== undefined) assert.equal(await page.locator(`tr[data-key^="${key}"]`).count() >= count, true);
        const text = await page.locator("main").innerText();
        assert.doesNotMatch(text, /\bspeedup\b|\bundefined\b|\bNaN\b|\[object/);
        assert.doesNotMatch(text, /[\d.]+ (ns|µs|ms|s) measured/, "demo data was never measured");
        assert.deepEqual(await seriousFindings(page), []);
        await screenshot(page, `${name}-${rows}`);
        await firstContent(dark, world.url + path, ready);
        assert.deepEqual(await seriousFindings(dark), []);
        if (rows === 10000 && (name === "overview" || name === "candidate")) await screenshot(dark, `${name}-dark`);
      });
    }

    await t.test("a program for hardware that nobody has run it on says so", {skip: rows < 10}, async () => {
      await page.goto(`${world.url}/candidates/c-4-1`);
      await page.getByRole("heading", {name: "Candidate c-4-1"}).getByText("never run on hardware").waitFor();
      await screenshot(page, `unseen-${rows}`);
    });

    await t.test("older rows come when they are asked for", {skip: rows < 200}, async () => {
      await page.goto(`${world.url}/history`);
      for (const wanted of [100, 150, 200]) {
        await page.getByRole("button", {name: "show older"}).click();
        await page.waitForFunction((n) => document.querySelectorAll("tr[data-key^='c-']").length === n, wanted);
      }
      const keys = await page.locator("tr[data-key^='c-']").evaluateAll((all) => all.map((one) => one.dataset.key));
      assert.equal(new Set(keys).size, 200);
    });

    await t.test("a restart of the daemon under every page", {skip: TIMES === 1 && rows !== Math.max(...ROWS)}, async () => {
      const open = [];
      for (const {path, ready} of pages(seeded, rows)) {
        // A browser keeps six connections to a host; each page here is one of a browser of its own.
        const tab = await openPage(browser);
        await tab.goto(world.url + path);
        await tab.locator(ready).first().waitFor();
        await tab.locator("#connection.live").waitFor();
        await tab.evaluate(() => { globalThis.loadedOnce = true; });
        open.push({path, ready, tab});
      }
      for (const one of open) one.shown = await settled(one.tab);
      await world.kill();
      for (const {path, tab, shown} of open) {
        await tab.locator("#connection.lost").waitFor();
        assert.equal(await tab.locator("tr[data-key]").count(), shown, `${path}: what was read stays`);
      }
      await world.start();
      for (const {path, ready, tab, shown} of open) {
        await tab.locator("#connection.live").waitFor();
        await tab.locator(ready).first().waitFor();
        await tab.waitForFunction((n) => document.querySelectorAll("tr[data-key]").length === n, shown);
        // It still goes from page to page by itself.
        await tab.getByLabel("pages").getByRole("link", {name: "Runs"}).click();
        await tab.locator(rows === 0 ? ".empty" : "tr[data-key^='r-']").first().waitFor();
        assert.ok(await tab.evaluate(() => globalThis.loadedOnce === true), `${path} was loaded again`);
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
      }
    });

    assert.deepEqual(page.errors, []);
    assert.deepEqual(dark.errors, []);
    assert.deepEqual(page.requests.filter((url) => !url.startsWith(world.url)), []);
  });
}
